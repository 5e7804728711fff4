//! Devices in the request that makes a container: given, asked for, and how fast they are.

use serde_json::{Value, json};

use super::{list, word};

/// Rates of devices, as Compose spells them out and as the engine names them.
const RATES: &[(&str, &str)] = &[
    ("device_read_bps", "BlkioDeviceReadBps"),
    ("device_read_iops", "BlkioDeviceReadIOps"),
    ("device_write_bps", "BlkioDeviceWriteBps"),
    ("device_write_iops", "BlkioDeviceWriteIOps"),
];

/// Adds to the part about the host what a service says about devices.
pub(super) fn put(canon: &Value, host: &mut Value) {
    let (mut given, mut asked, mut named) = (Vec::new(), Vec::new(), Vec::new());
    for device in list(canon, "devices") {
        let (source, target) = (word(device, "source"), word(device, "target"));
        if source == target && is_qualified(source) {
            named.push(source);
            continue;
        }
        given.push(json!({
            "PathOnHost": source,
            "PathInContainer": target,
            "CgroupPermissions": word(device, "permissions"),
        }));
    }
    let reserved = canon.pointer("/deploy/resources/reservations/devices");
    asked.extend(reserved.and_then(Value::as_array).into_iter().flatten().map(request));
    if !named.is_empty() {
        asked.push(json!({ "Driver": "cdi", "DeviceIDs": named }));
    }
    // A request for a graphics processor need not say what it is good for.
    asked.extend(list(canon, "gpus").iter().map(request).map(|mut asked| {
        if let Some(Value::Array(all)) = asked.pointer_mut("/Capabilities/0") {
            all.push("gpu".into());
        }
        asked
    }));
    if !given.is_empty() {
        host["Devices"] = given.into();
    }
    if !asked.is_empty() {
        host["DeviceRequests"] = asked.into();
    }
    if let Some(rates) = canon.get("blkio_config") {
        put_rates(rates, host);
    }
}

/// `VENDOR/CLASS=NAME`, the name of a device that a program of its vendor knows.
fn is_qualified(text: &str) -> bool {
    let kind = text.split_once('=').map(|(kind, _)| kind);
    kind.and_then(|kind| kind.split_once('/')).is_some_and(|(vendor, class)| {
        !vendor.is_empty() && !class.is_empty() && !class.contains('/')
    })
}

fn request(device: &Value) -> Value {
    let get = |key: &str| device.get(key).cloned();
    json!({
        "Driver": word(device, "driver"),
        "Count": get("count").unwrap_or(0.into()),
        "DeviceIDs": get("device_ids"),
        "Capabilities": [get("capabilities").unwrap_or(json!([]))],
        "Options": get("options"),
    })
}

fn put_rates(written: &Value, host: &mut Value) {
    if let Some(weight) = written.get("weight") {
        host["BlkioWeight"] = weight.clone();
    }
    let weights = list(written, "weight_device");
    if !weights.is_empty() {
        host["BlkioWeightDevice"] = weights.into();
    }
    for (ours, theirs) in RATES {
        let rate = |one: &Value| {
            let rate = word(one, "Rate").parse::<u64>().unwrap_or(0);
            json!({ "Path": word(one, "Path"), "Rate": rate })
        };
        let rates: Vec<Value> = list(written, ours).iter().map(rate).collect();
        if !rates.is_empty() {
            host[*theirs] = rates.into();
        }
    }
}
