//! One project, described for one client after the other: the lockfile is the same to the byte.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::project::{Project, example, tool};

/// A project with a folder `home`, and a program `npx` first in the path that stands for whatever
/// package it is asked for.
fn project() -> Project {
    let project = Project::new();
    let catalog = json!({ "tools": [tool("read", &json!({ "path": { "type": "string" } }))] });
    project.write("home/catalog.json", catalog.to_string());
    let npx = format!(
        "#!/bin/sh\nexec {} --catalog \"$HOME/catalog.json\"\n",
        example("catalog_server")
    );
    project.write("bin/npx", npx);
    fs::set_permissions(project.path("bin/npx"), fs::Permissions::from_mode(0o755)).unwrap();
    project
}

fn run(project: &Project, args: &[&str]) -> (i32, String) {
    let mut command: Command = project.command(args);
    let path = std::env::var("PATH").unwrap();
    command
        .env("HOME", project.path("home"))
        .env("PATH", format!("{}:{path}", project.path("bin").display()))
        .env("FILES_TOKEN", "files-token-value-1")
        // The editor would ask for it.
        .env("MCPLOCK_INPUT_FILES_TOKEN", "files-token-value-1")
        .env("DEMO_TOKEN", "demo-token-value-2");
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), said.concat())
}

/// Copies a fixture into the project: what is in its folder `home` goes home.
fn copy(project: &Project, folder: &Path) {
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        // The program sees the folder without links in its path.
        let here = project.folder().canonicalize().unwrap();
        let text = fs::read_to_string(&path)
            .unwrap()
            .replace("@PROJECT@", &here.display().to_string());
        if name != "expect.txt" {
            project.write(&name, text);
        }
    }
}

/// The fixtures that describe the project, with the flags that name their files.
fn descriptions() -> Vec<(String, PathBuf, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/clients");
    let mut found = Vec::new();
    for client in fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let word = client.file_name().unwrap().to_str().unwrap().to_owned();
        for form in ["project", "v1", "v2"] {
            let folder = client.join(form);
            if !folder.is_dir() {
                continue;
            }
            let flags = if folder.join("home").is_dir() {
                vec!["--client".to_owned(), word.clone()]
            } else if folder.join("assistant.json").is_file() {
                vec!["--client-config".to_owned(), "assistant.json".to_owned()]
            } else {
                Vec::new()
            };
            found.push((format!("{word} {form}"), folder, flags));
        }
    }
    found.sort();
    found
}

#[test]
fn the_same_project_is_pinned_to_the_same_bytes_whatever_client_describes_it() {
    let mut first: Option<(String, String)> = None;
    let mut count = 0;
    for (title, folder, flags) in descriptions() {
        let project = project();
        copy(&project, &folder);
        let mut args = vec!["pin", "files"];
        args.extend(flags.iter().map(String::as_str));
        let (code, said) = run(&project, &args);
        assert_eq!(code, 0, "{title}: {said}");
        let lockfile = project.lockfile();
        assert!(
            lockfile.contains("${workspace}") && lockfile.contains("FILES_TOKEN"),
            "{title}"
        );
        match &first {
            None => first = Some((title, lockfile)),
            Some((other, bytes)) => assert_eq!(*bytes, lockfile, "{other} and {title} differ"),
        }
        count += 1;
    }
    assert_eq!(count, 14, "thirteen clients, one of them in two forms");
}

#[test]
fn a_package_of_the_registry_is_pinned_to_the_same_bytes_as_its_command() {
    let by_package = project();
    by_package.write(
        "server.json",
        json!({
            "name": "io.github.example/files",
            "packages": [{
                "registryType": "npm",
                "identifier": "@example/files",
                "version": "1.2.3",
                "transport": { "type": "stdio" },
                "packageArguments": [{ "type": "positional", "value": "{root}",
                    "variables": { "root": { "default": "." } } }],
                "environmentVariables": [{ "name": "FILES_TOKEN", "isRequired": true, "isSecret": true }]
            }]
        })
        .to_string(),
    );
    let (code, said) = run(&by_package, &["pin", "--client-config", "server.json"]);
    assert_eq!(code, 0, "{said}");
    let by_command = project();
    by_command.write(
        ".mcp.json",
        json!({ "mcpServers": { "files": {
            "command": "npx",
            "args": ["-y", "@example/files@1.2.3", "${root:-.}"],
            "env": { "FILES_TOKEN": "${FILES_TOKEN}" }
        } } })
        .to_string(),
    );
    let (code, said) = run(&by_command, &["pin"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(by_package.lockfile(), by_command.lockfile());
}
