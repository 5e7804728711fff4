//! What happens to a Compose project before and beside its actions, as values.
//!
//! An event has a fixed word and says what it is about; how both are laid out is up to the program
//! that shows them.

use std::fmt;

/// Something that happens to a project, or will.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectEvent {
    /// A container or a network was taken over from another program.
    Adopted {
        /// Its name.
        name: String,
    },
    /// A container or a network was made from another definition than the file has by now.
    Differs {
        /// Its name.
        name: String,
    },
    /// Not all containers of a service are there.
    Missing {
        /// The service.
        service: String,
    },
    /// No service of the file asks for a container.
    Orphan {
        /// The container.
        name: String,
    },
    /// No service of the project asks for a container, and it stays.
    OrphanStays {
        /// The container.
        name: String,
    },
    /// No service of the project asked for a container, and it was removed.
    OrphanRemoved {
        /// The container.
        name: String,
    },
    /// The definition of a network changed: it will be recreated, with its containers.
    NetworkChanged {
        /// The network.
        name: String,
    },
    /// The definition of a service changed: its container will be replaced.
    ContainerChanged {
        /// The container.
        name: String,
    },
    /// The definition of a volume changed.
    VolumeChanged {
        /// The volume.
        name: String,
        /// Whether it is recreated, without its data; else it stays as it is.
        is_renewed: bool,
    },
    /// The file asks for fewer instances: this one will be removed.
    Surplus {
        /// The instance.
        instance: String,
    },
    /// A health check is waited for that only an image can have that is not here yet.
    HealthCheckAssumed {
        /// The service.
        service: String,
        /// The image.
        image: String,
    },
    /// A container that an earlier `up` brought up was removed.
    EarlierRemoved {
        /// The container.
        name: String,
    },
    /// A container stays, because its profile is off or its service was not asked for.
    NotSelected {
        /// The container.
        name: String,
    },
    /// A network stays, because a container that stays is in it.
    NetworkStays {
        /// The network.
        name: String,
    },
    /// Something of a deployment stays on the engine.
    LeftoversStay {
        /// The deployment.
        deployment: String,
        /// Why, in the words of the engine.
        why: String,
    },
    /// An image is being pulled.
    Pull {
        /// The image.
        reference: String,
        /// How far it is, in the words of the engine.
        status: String,
    },
    /// An image is being built.
    Build {
        /// The image.
        reference: String,
        /// A line of the builder.
        line: String,
    },
    /// What stood there before the run was put back.
    Restored {
        /// The container.
        name: String,
    },
    /// A service starts without one that it does not need.
    WithoutOptional {
        /// The service that is not there.
        dependency: String,
        /// The service that starts.
        service: String,
        /// Why the other one is not there.
        why: String,
    },
    /// An override lies beside the file that was named, and is not read.
    OverrideIgnored {
        /// The override.
        file: String,
    },
}

impl ProjectEvent {
    /// The word for what happens.
    pub fn as_str(&self) -> &'static str {
        match self {
            ProjectEvent::Adopted { .. } => "adopted",
            ProjectEvent::Differs { .. }
            | ProjectEvent::NetworkChanged { .. }
            | ProjectEvent::ContainerChanged { .. }
            | ProjectEvent::VolumeChanged { .. } => "changed",
            ProjectEvent::Missing { .. } => "missing",
            ProjectEvent::Orphan { .. } | ProjectEvent::OrphanStays { .. } => "orphan",
            ProjectEvent::OrphanRemoved { .. } | ProjectEvent::EarlierRemoved { .. } => "removed",
            ProjectEvent::Surplus { .. } => "surplus",
            ProjectEvent::HealthCheckAssumed { .. } => "assumed",
            ProjectEvent::NotSelected { .. } | ProjectEvent::LeftoversStay { .. } => "stays",
            ProjectEvent::NetworkStays { .. } => "network",
            ProjectEvent::Pull { .. } => "pull",
            ProjectEvent::Build { .. } => "build",
            ProjectEvent::Restored { .. } => "restore",
            ProjectEvent::WithoutOptional { .. } => "without",
            ProjectEvent::OverrideIgnored { .. } => "note",
        }
    }
}

impl fmt::Display for ProjectEvent {
    /// What the event is about, without its word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProjectEvent::Adopted { name } => f.write_str(name),
            ProjectEvent::Differs { name } => {
                write!(f, "{name}: the file says something else by now")
            }
            ProjectEvent::Missing { service } => {
                write!(f, "{service}: not all of its containers are there")
            }
            ProjectEvent::Orphan { name } => {
                write!(f, "{name}: no service of the file asks for it")
            }
            ProjectEvent::OrphanStays { name } => write!(
                f,
                "{name}: no service of the project asks for it; it stays (--remove-orphans)"
            ),
            ProjectEvent::OrphanRemoved { name } => {
                write!(f, "{name}: no service of the project asked for it")
            }
            ProjectEvent::NetworkChanged { name } => {
                write!(f, "network {name}: it will be recreated, with its containers")
            }
            ProjectEvent::ContainerChanged { name } => {
                write!(f, "{name}: its container will be replaced")
            }
            ProjectEvent::VolumeChanged { name, is_renewed: true } => {
                write!(f, "volume {name}: it will be recreated, without its data")
            }
            ProjectEvent::VolumeChanged { name, is_renewed: false } => {
                write!(f, "volume {name}: it stays as it is, with its data (--renew-volumes)")
            }
            ProjectEvent::Surplus { instance } => {
                write!(f, "{instance}: the file asks for fewer, it will be removed")
            }
            ProjectEvent::HealthCheckAssumed { service, image } => write!(
                f,
                "{service}: its health is waited for, and whether the image `{image}` has a check \
                 is known only when it is here"
            ),
            ProjectEvent::EarlierRemoved { name } => {
                write!(f, "{name}: an earlier `up` brought it up")
            }
            ProjectEvent::NotSelected { name } => {
                write!(f, "{name}: its profile is off, or its service was not asked for")
            }
            ProjectEvent::NetworkStays { name } => {
                write!(f, "{name}: it stays, a container that stays is in it")
            }
            ProjectEvent::LeftoversStay { deployment, why } => {
                write!(f, "something of {deployment} on the Docker engine: {why}")
            }
            ProjectEvent::Pull { reference, status } => write!(f, "{reference}: {status}"),
            ProjectEvent::Build { reference, line } => write!(f, "{reference}: {line}"),
            ProjectEvent::Restored { name } => write!(f, "{name}: what stood there before"),
            ProjectEvent::WithoutOptional { dependency, service, why } => {
                write!(f, "{dependency}: `{service}` does not need it and goes on; {why}")
            }
            ProjectEvent::OverrideIgnored { file } => {
                write!(f, "`{file}` is not read; say `-f {file}`, or name the folder")
            }
        }
    }
}
