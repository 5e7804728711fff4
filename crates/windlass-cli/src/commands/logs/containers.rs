//! What the containers of a Compose project wrote.

use std::io::{BufRead, BufReader, Read};
use std::thread;

use windlass::spelling;
use windlass_run::compose::{ProjectContainer, containers};
use windlass_run::controller::{self, Error};
use windlass_run::world::docker::engine::Engine;
use windlass_run::world::docker::http::Body;
use windlass_run::world::docker::requests::Requests;

use super::{LogLine, LogsArgs};
use crate::args::Format;
use crate::commands::engine::{self, Address, Found};
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// Prints what containers wrote, each line under the name of its container.
pub(super) fn print(args: &LogsArgs, requests: &Requests, found: &Found) -> Result<u8, Failure> {
    let refuse = |why: Error| engine::failure(why, &found.address, args.format);
    let docker = controller::containers::engine().map_err(refuse)?;
    let all = containers(&docker, &requests.project).map_err(|why| refuse(why.into()))?;
    let wanted = |seen: &ProjectContainer| {
        args.action.as_ref().is_none_or(|name| *name == seen.service || *name == seen.name)
    };
    let names: Vec<String> =
        all.iter().flat_map(|it| [it.service.clone(), it.name.clone()]).collect();
    let chosen: Vec<ProjectContainer> = all.into_iter().filter(wanted).collect();
    if let Some(name) = args.action.as_ref().filter(|_| chosen.is_empty() && !names.is_empty()) {
        let known = names.iter().map(String::as_str);
        let help = spelling::advice("service", name, known, 0).unwrap_or_default();
        return Err(Failure::usage(format!("no container is of `{name}`")).help(help));
    }
    if !args.follow {
        for seen in &chosen {
            read(&docker, seen, false, args.format, &found.address)?;
        }
        return Ok(exit_code::GOOD);
    }
    let format = args.format;
    let followers = chosen.into_iter().map(|seen| {
        let (docker, address) = (docker.clone(), found.address.clone());
        thread::spawn(move || read(&docker, &seen, true, format, &address))
    });
    for follower in followers.collect::<Vec<_>>() {
        // One that ended badly has nothing more to say.
        let _ = follower.join();
    }
    Ok(exit_code::GOOD)
}

fn read(
    docker: &Engine,
    seen: &ProjectContainer,
    follow: bool,
    format: Format,
    address: &Address,
) -> Result<(), Failure> {
    let body = docker.logs(&seen.container.id, 0, follow);
    let body = body.map_err(|why| engine::failure(why.into(), address, format))?;
    for line in BufReader::new(Unframed { body, left: 0 }).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\r');
        let text = match format {
            Format::Json => {
                let (service, container) = (Some(&*seen.service), Some(&*seen.name));
                escape::json_line(&LogLine { service, container, ..LogLine::of(line) })?
            }
            Format::Text => escape::visible_lines(&format!("{} | {line}\n", seen.name)),
        };
        output::stdout(&text)?;
    }
    Ok(())
}

/// What a container writes comes in frames, with the length of each in front of it.
struct Unframed {
    body: Body,
    left: usize,
}

impl Read for Unframed {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.left == 0 {
            let mut head = [0_u8; 8];
            match self.body.read_exact(&mut head) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(0),
                Err(error) => return Err(error),
            }
            let [_, _, _, _, a, b, c, d] = head;
            self.left = u32::from_be_bytes([a, b, c, d]) as usize;
        }
        let most = self.left.min(buffer.len());
        let read = self.body.read(&mut buffer[..most])?;
        self.left -= read;
        Ok(read)
    }
}
