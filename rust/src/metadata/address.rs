//! Addresses: made absolute, freed of what tracks readers.

/// Parameters that say how a reader came, besides `utm_…`.
const TRACKING: &str = "fbclid gclid dclid msclkid yclid igshid mc_cid mc_eid ref ref_src cmpid cmp ocid ns_campaign ns_mchannel \
     ns_source wt_mc xtor smid partner taid guccounter";

/// Scheme and host with what is before the path.
fn origin(url: &str) -> Option<&str> {
    let begins = |with: &str| url.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let scheme = ["https://", "http://"].into_iter().find(|scheme| begins(scheme))?.len();
    let end = url[scheme..].find(['/', '?', '#']).map_or(url.len(), |end| scheme + end);
    (end > scheme).then(|| &url[..end])
}

/// The host of an address, without `www.`.
pub fn host(url: &str) -> Option<&str> {
    let host = origin(url)?.split_once("://")?.1;
    let host = host.rsplit('@').next().unwrap_or(host);
    let www = host.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
    Some(if www { &host[4..] } else { host })
}

/// Path and query of an address.
pub fn path(url: &str) -> &str {
    origin(url).map_or("", |origin| &url[origin.len()..])
}

/// The absolute form of an address, resolved against `base`, without `.` and `..` in its path; None if it is no address.
pub fn resolve(address: &str, base: Option<&str>) -> Option<String> {
    absolute(address, base).map(|url| without_dots(&url))
}

fn without_dots(url: &str) -> String {
    let start = url.len() - path(url).len();
    let end = url[start..].find(['?', '#']).map_or(url.len(), |end| start + end);
    let mut segments: Vec<&str> = Vec::new();
    for segment in url[start..end].split('/').skip(1) {
        // Behind a dot segment that is the last one, the folder it leads to is left.
        segments.pop_if(|last| matches!(*last, "." | ".."));
        if segment == ".." {
            segments.pop();
        }
        segments.push(segment);
    }
    if let Some(last) = segments.last_mut().filter(|last| matches!(**last, "." | "..")) {
        *last = "";
    }
    let slash = if segments.is_empty() { "" } else { "/" };
    format!("{}{slash}{}{}", &url[..start], segments.join("/"), &url[end..])
}

fn absolute(address: &str, base: Option<&str>) -> Option<String> {
    let address = address.trim();
    if address.is_empty() || address.len() > 2000 || address.contains([' ', '<', '"']) {
        return None;
    }
    if origin(address).is_some() {
        return Some(address.to_owned());
    }
    if let Some(rest) = address.strip_prefix("//") {
        let scheme = base.and_then(|base| base.split_once("//")).map_or("https:", |(scheme, _)| scheme);
        return rest.contains('.').then(|| format!("{scheme}//{rest}"));
    }
    let base = base.filter(|_| !address.contains(':'))?;
    let origin = origin(base)?;
    if address.starts_with('/') {
        return Some(format!("{origin}{address}"));
    }
    let folder = base.split(['?', '#']).next()?;
    let folder = folder.get(..=folder.rfind('/').filter(|at| *at > origin.len() - 1)?)?;
    Some(format!("{folder}{address}"))
}

/// An address without its fragment and without tracking parameters.
pub fn without_tracking(url: &str) -> String {
    let url = url.split('#').next().unwrap_or(url);
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let tracks = |parameter: &str| {
        let name = parameter.split('=').next().unwrap_or("").to_ascii_lowercase();
        name.starts_with("utm_") || TRACKING.split(' ').any(|known| known == name)
    };
    let kept: Vec<&str> = query.split('&').filter(|parameter| !parameter.is_empty() && !tracks(parameter)).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}
