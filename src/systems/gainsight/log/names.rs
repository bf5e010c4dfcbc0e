//! Which kernel the numbers of launches mean.

/// A kernel as its trace's header or its launch announces it.
#[derive(Clone, Debug, Default)]
pub(super) struct Announced {
    /// Its name, mangled.
    pub(super) name: String,
    /// Its number in the header; `None` without one.
    pub(super) id: Option<u64>,
    /// Its stream.
    pub(super) stream: Option<u64>,
    /// The number of its launch.
    pub(super) uid: Option<u64>,
}

/// All that were announced. Headers may be read ahead of launches.
#[derive(Default)]
pub(super) struct Names {
    headers: Vec<Announced>,
    launches: Vec<Announced>,
}

impl Names {
    /// A header begins.
    pub(super) fn header(&mut self, path: &str) {
        let stem = path.rsplit('/').next().unwrap_or(path);
        let id = stem.strip_prefix("kernel-").and_then(|rest| rest.split('.').next()?.parse().ok());
        self.headers.push(Announced { id, ..Announced::default() });
    }

    /// A line of the header.
    pub(super) fn option(&mut self, key: &str, value: &str) {
        let Some(header) = self.headers.last_mut() else { return };
        match key {
            "kernel name" => value.clone_into(&mut header.name),
            "kernel id" => header.id = value.parse().ok().or(header.id),
            "cuda stream id" => header.stream = value.parse().ok(),
            _ => {}
        }
    }

    /// A kernel is launched.
    pub(super) fn launch(&mut self, name: &str, uid: Option<u64>, stream: Option<u64>) {
        let uid = uid.or_else(|| u64::try_from(self.launches.len()).ok()?.checked_add(1));
        self.launches.push(Announced { name: name.to_owned(), id: None, stream, uid });
    }

    /// The kernel of a launch: launches are numbered in the order of headers.
    pub(super) fn of(&self, uid: u64) -> Announced {
        let launch = self.launches.iter().rfind(|launch| launch.uid == Some(uid));
        let header = uid.checked_sub(1).and_then(|row| self.headers.get(usize::try_from(row).ok()?));
        let fits = |header: &&Announced| launch.is_none_or(|launch| launch.name == header.name);
        let header = header.filter(fits);
        Announced {
            name: header.or(launch).map_or_else(String::new, |one| one.name.clone()),
            id: header.and_then(|header| header.id),
            stream: launch.and_then(|launch| launch.stream).or(header.and_then(|header| header.stream)),
            uid: Some(uid),
        }
    }

    /// The kernel that was announced last.
    pub(super) fn last(&self) -> Announced {
        match (self.launches.last(), self.headers.last()) {
            (Some(launch), _) => launch.uid.map_or_else(|| launch.clone(), |uid| self.of(uid)),
            (None, Some(header)) => header.clone(),
            (None, None) => Announced::default(),
        }
    }

    /// How many kernels were launched.
    pub(super) fn launched(&self) -> usize {
        self.launches.len()
    }

    /// Whether a program's trace is simulated, so that addresses are of the device.
    pub(super) fn has_headers(&self) -> bool {
        !self.headers.is_empty()
    }
}
