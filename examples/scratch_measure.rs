use mcplock::catalog::*;
use mcplock::fitness::check_catalog;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let crate_too = a.get(2).is_some();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let t0 = Instant::now();
    let mut items = vec![];
    for line in text.lines() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        for t in v["result"]["tools"].as_array().unwrap() {
            items.push(Item::new(Kind::Tool, items.len(), t.to_string().into()));
        }
    }
    let n = items.len();
    let c = Catalog {
        revision: Some(mcplock::protocol::Revision::V2025_11_25),
        declared: vec![],
        implementation: None,
        instructions: Instructions::Unknown,
        listed: vec![],
        unknown: vec![],
        items,
        remarks: vec![],
    };
    let t1 = Instant::now();
    let f = check_catalog(&c, None).len();
    let t2 = Instant::now();
    if crate_too {
        for i in &c.items {
            let s =
                mcplock::schema::bridge::to_serde(i.value().get("inputSchema").unwrap()).unwrap();
            assert!(jsonschema::meta::validate(&s.value).is_ok());
        }
    }
    let t3 = Instant::now();
    for i in &c.items {
        let v = mcplock::schema::Validator::new(
            i.value().get("inputSchema").unwrap(),
            mcplock::schema::Dialect::Draft2020_12,
        )
        .unwrap();
        let _ = v.validate(&mcplock::schema::bridge::from_serde(&serde_json::json!({})));
        if !crate_too {
            break;
        }
    }
    let t4 = Instant::now();
    let rss = std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .find(|l| l.starts_with("VmHWM"))
        .unwrap()
        .to_owned();
    println!(
        "{n} tools {f} faults: parse {:?} check {:?} crate-meta {:?} validators {:?} {rss}",
        t1 - t0,
        t2 - t1,
        t3 - t2,
        t4 - t3
    );
}
