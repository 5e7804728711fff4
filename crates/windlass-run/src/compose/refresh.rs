//! Images that are there and not new enough: they are got before anything is compared, so that the
//! containers of an older one are replaced by the same run.

use super::ProjectEvent;
use crate::world::docker::engine::Engine;
use crate::world::docker::pull::{ImageError, ImageRequest, fetch, is_usable};
use crate::world::docker::requests::{Part, Requests};

/// Pulls the images that `pull_policy` wants again, and with `build` builds all that are
/// built here. Images that are not there at all are got when the plan comes to them.
pub(crate) fn refresh(
    engine: &Engine,
    requests: &mut Requests,
    build_all: bool,
    on_event: fn(&ProjectEvent),
) -> Result<(), ImageError> {
    for part in requests.parts.values_mut() {
        let Part::Image { reference, policy, build, platform } = part else { continue };
        if build_all && build.is_some() {
            "build".clone_into(policy);
        }
        let image = match engine.look("images", reference) {
            Ok(image) => image,
            Err(why) if why.is_missing() => continue,
            Err(why) => return Err(why.into()),
        };
        if !is_usable(policy, build.is_some(), &image) {
            let (build, platform) = (build.as_ref(), platform.as_deref());
            fetch(engine, on_event, &ImageRequest { reference, policy, build, platform })?;
        }
        // It has been looked at; the run need not do it again.
        "missing".clone_into(policy);
    }
    Ok(())
}
