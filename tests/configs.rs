//! What every client's config says, read from files as they stand in a project.

#![cfg(test)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use mcplock::config::{
    Client, CommandLineServer, Discovered, Environment, Launch, PinnedServer, Platform, Project,
    Redactor, ResolvedTarget, ServerName, ServerSpec, Sources, Standing, Target, discover,
};
use mcplock::error::{Error, ErrorKind};

/// A project folder and a home folder, both temporary.
struct Scene {
    _root: tempfile::TempDir,
    project: PathBuf,
    home: PathBuf,
    variables: BTreeMap<String, String>,
    pinned: Vec<PinnedServer>,
    client_configs: Vec<PathBuf>,
    clients: Vec<Client>,
    command_line: Option<CommandLineServer>,
    policy: Option<PathBuf>,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        // Links in the temporary folder's path would differ from what the program sees.
        let path = root.path().canonicalize().unwrap();
        let (project, home) = (path.join("work/project"), path.join("home/someone"));
        std::fs::create_dir_all(&project).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        let variables = BTreeMap::from([
            ("HOME".to_owned(), home.display().to_string()),
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
        ]);
        Scene {
            _root: root,
            project,
            home,
            variables,
            pinned: Vec::new(),
            client_configs: Vec::new(),
            clients: Vec::new(),
            command_line: None,
            policy: None,
        }
    }

    fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.project.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    fn environment(&self) -> Environment {
        Environment::new(self.variables.clone(), Platform::Unix)
    }

    fn try_discover(&self) -> Result<Discovered, Vec<Error>> {
        let project = Project::find(&self.project, None);
        discover(&Sources {
            project: &project,
            policy: self.policy.as_deref(),
            client_configs: &self.client_configs,
            clients: &self.clients,
            command_line: self.command_line.as_ref(),
            pinned: &self.pinned,
            environment: &self.environment(),
        })
    }

    fn discover(&self) -> Discovered {
        self.try_discover().unwrap()
    }

    /// Copies a fixture: what is in its folder `home` goes to the home folder, the rest into the
    /// project; paths of this machine are put in.
    fn copy_fixture(&self, folder: &Path) {
        let mut waiting = vec![folder.to_path_buf()];
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                waiting.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
                continue;
            }
            let rest = path.strip_prefix(folder).unwrap();
            if rest == Path::new("expect.txt") {
                continue;
            }
            let target = match rest.strip_prefix("home") {
                Ok(rest) => self.home.join(rest),
                Err(_) => self.project.join(rest),
            };
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text
                .replace("@PROJECT@", &self.project.display().to_string())
                .replace("@HOME@", &self.home.display().to_string());
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::write(target, text).unwrap();
        }
    }

    /// `text` without paths of this machine.
    fn scrub(&self, text: &str) -> String {
        text.replace(&self.project.display().to_string(), "@PROJECT@")
            .replace(&self.home.display().to_string(), "@HOME@")
            .replace("../../home/someone", "@HOME@")
    }
}

fn clients_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/clients")
}

/// Every fixture: the client's word, and the folder.
fn fixtures() -> Vec<(Client, PathBuf)> {
    let sorted = |folder: &Path| {
        let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        found.sort();
        found
    };
    sorted(&clients_folder())
        .iter()
        .flat_map(|folder| {
            let word = folder.file_name().unwrap().to_str().unwrap();
            let client = Client::from_word(word).unwrap();
            sorted(folder)
                .into_iter()
                .map(move |fixture| (client, fixture))
        })
        .collect()
}

fn discover_fixture(client: Client, fixture: &Path) -> (Scene, Discovered) {
    let mut scene = Scene::new();
    scene.copy_fixture(fixture);
    if fixture.join("home").is_dir() {
        scene.clients.push(client);
    }
    for file in ["server.json", "assistant.json"] {
        if fixture.join(file).is_file() {
            scene.client_configs.push(PathBuf::from(file));
        }
    }
    let found = scene.discover();
    (scene, found)
}

fn launch_text(launch: &Launch) -> String {
    let mut out = String::new();
    match &launch.target {
        Target::Command(words) => writeln!(out, "  command = {words:?}").unwrap(),
        Target::Url { url, headers } => {
            writeln!(out, "  url = {url:?}").unwrap();
            for (name, value) in headers {
                writeln!(out, "  header {name} = {value:?}").unwrap();
            }
        }
    }
    if let Some(cwd) = &launch.cwd {
        writeln!(out, "  cwd = {cwd:?}").unwrap();
    }
    if !launch.env.is_empty() {
        writeln!(out, "  env = {:?}", launch.env).unwrap();
    }
    for (name, value) in &launch.env_values {
        writeln!(out, "  {name} = {value:?}").unwrap();
    }
    out
}

fn listing(found: &Discovered) -> String {
    let mut out = String::new();
    for file in &found.files {
        writeln!(
            out,
            "file {}: {} servers",
            file.file.display(),
            file.servers
        )
        .unwrap();
    }
    for spec in &found.servers {
        let off = if spec.disabled { " (disabled)" } else { "" };
        writeln!(out, "server {} at {}{off}", spec.name, spec.origin).unwrap();
        out.push_str(&launch_text(&spec.launch));
        if spec.http != mcplock::config::HttpKind::Streamable {
            writeln!(out, "  transport {:?}", spec.http).unwrap();
        }
        if !spec.tools.is_empty() {
            writeln!(out, "  tools: {}", spec.tools).unwrap();
        }
        for note in &spec.notes {
            writeln!(out, "  note: {note}").unwrap();
        }
    }
    for note in &found.notes {
        writeln!(out, "note: {note}").unwrap();
    }
    for error in &found.errors {
        writeln!(out, "error: {error}").unwrap();
        if let Some(help) = error.help_text() {
            writeln!(out, "  help: {help}").unwrap();
        }
    }
    out
}

#[test]
fn every_clients_files_give_the_expected_servers() {
    let update = std::env::var_os("MCPLOCK_UPDATE_FIXTURES").is_some();
    let mut wrong = String::new();
    for (client, fixture) in fixtures() {
        let (scene, found) = discover_fixture(client, &fixture);
        let got = scene.scrub(&listing(&found));
        let expected = fixture.join("expect.txt");
        if update {
            std::fs::write(&expected, &got).unwrap();
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if got != wanted.replace("\r\n", "\n") {
            writeln!(wrong, "{}:\n{got}", fixture.display()).unwrap();
        }
    }
    assert!(
        wrong.is_empty(),
        "these fixtures give something else now:\n{wrong}"
    );
}

#[test]
fn every_client_has_a_fixture() {
    for client in Client::ALL {
        assert!(
            clients_folder().join(client.word()).is_dir(),
            "{}",
            client.word()
        );
    }
}

#[test]
fn the_same_project_is_stored_the_same_whatever_the_client() {
    let mut files = BTreeMap::new();
    let mut remote = BTreeMap::new();
    for (client, fixture) in fixtures() {
        let name = fixture.file_name().unwrap().to_str().unwrap().to_owned();
        if !(name == "project" || client == Client::OpenCode) {
            continue;
        }
        let (_scene, found) = discover_fixture(client, &fixture);
        let at = format!("{} {name}", client.word());
        let spec = found
            .get("files", None)
            .unwrap_or_else(|| panic!("{at} has no `files`"));
        files.insert(at.clone(), launch_text(&spec.launch));
        // Zed has no variables: its header holds a literal, which is not stored.
        let spec = found.get("remote", None).filter(|_| client != Client::Zed);
        remote.extend(spec.map(|spec| (at, launch_text(&spec.launch))));
    }
    assert!(files.len() >= 13 && remote.len() >= 9);
    let one = |launches: &BTreeMap<String, String>| {
        let mut all: Vec<&String> = launches.values().collect();
        all.dedup();
        assert_eq!(all.len(), 1, "{launches:#?}");
    };
    one(&files);
    one(&remote);
}

#[test]
fn a_literal_credential_of_one_client_and_a_variable_of_another_are_one_launch() {
    let scene = Scene::new();
    scene.copy_fixture(&clients_folder().join("zed/project"));
    scene.copy_fixture(&clients_folder().join("cursor/project"));
    let found = scene.discover();
    assert_eq!(found.errors, []);
    assert_eq!(found.servers.len(), 2);
    assert!(
        found
            .others
            .iter()
            .all(|other| other.standing == Standing::Same)
    );
}

// Case 38: placeholders that are passed on as literal text.

const PLACEHOLDERS: &str = r#"{ "mcpServers": {
  "ok": { "command": "demo-server", "args": ["--region", "${DEMO_REGION:-eu}"], "env": { "API_TOKEN": "${DEMO_TOKEN}" } },
  "remote": { "type": "http", "url": "https://${DEMO_HOST:-mcp.example.test}/mcp", "headers": { "Authorization": "Bearer ${DEMO_TOKEN}" } },
  "missing": {
    "command": "demo-server",
    "env": { "KEY": "${DEMO_NOT_SET}" }
  }
} }"#;

#[test]
fn placeholders_are_expanded_once_and_an_unset_one_is_an_error_of_its_server_alone() {
    let mut scene = Scene::new();
    scene.set("DEMO_TOKEN", "a${HOME}b");
    scene.file(".mcp.json", PLACEHOLDERS);
    let found = scene.discover();
    let environment = scene.environment();
    let ok = found
        .get("ok", None)
        .unwrap()
        .resolve(&environment)
        .unwrap();
    let ResolvedTarget::Command {
        program,
        args,
        env,
        cwd,
    } = &ok.target
    else {
        panic!()
    };
    assert_eq!((program.as_str(), cwd), ("demo-server", &scene.project));
    assert_eq!(args[1].expose(), "eu");
    assert_eq!(env["API_TOKEN"].expose(), "a${HOME}b");
    assert_eq!(
        env.keys().collect::<Vec<_>>(),
        ["API_TOKEN", "HOME", "PATH"],
        "the inherited list and what the config names, no more"
    );
    let remote = found
        .get("remote", None)
        .unwrap()
        .resolve(&environment)
        .unwrap();
    let ResolvedTarget::Url { url, headers, .. } = &remote.target else {
        panic!()
    };
    assert_eq!(url.expose(), "https://mcp.example.test/mcp");
    assert_eq!(headers["authorization"].expose(), "Bearer a${HOME}b");
    let error = found
        .get("missing", None)
        .unwrap()
        .resolve(&environment)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert_eq!(
        error.to_string(),
        ".mcp.json:6, server `missing`: `KEY` in `env` needs the variable `DEMO_NOT_SET`, which is not set"
    );
    for spec in &found.servers {
        assert!(!format!("{:?}", spec.launch).contains("a${HOME}b"));
    }
}

// Case 50: credentials in the lockfile.

#[test]
fn no_credential_of_a_config_is_stored_shown_or_left_in_a_text() {
    let secrets = [
        "s3cr3t-pw",
        "QUERYSECRET1",
        "ARGSECRET2",
        "ENVSECRET3",
        "CONTAINER4",
        "FILESECRET5",
        "tok-6-value",
    ];
    let mut scene = Scene::new();
    scene.set("DEMO_TOKEN", "tok-6-value");
    scene.file(".env", "FROM_FILE=FILESECRET5\n");
    scene.file(
        ".mcp.json",
        r#"{ "mcpServers": {
        "a": { "type": "http", "url": "https://user:s3cr3t-pw@mcp.example.test/mcp?api_key=QUERYSECRET1",
               "headers": { "Authorization": "Bearer ${DEMO_TOKEN}" } },
        "b": { "command": "demo-server", "args": ["--token", "ARGSECRET2"], "env": { "KEY": "ENVSECRET3" } },
        "c": { "command": "docker", "args": ["run", "-e", "DB_PASSWORD=CONTAINER4", "img"] }
        } }"#,
    );
    scene.file(
        ".vscode/mcp.json",
        r#"{ "servers": { "d": { "command": "x", "envFile": "${workspaceFolder}/.env" } } }"#,
    );
    let found = scene.discover();
    assert_eq!(found.servers.len(), 4);
    let mut shown = format!("{found:?}");
    let mut mask = Redactor::default();
    for spec in &found.servers {
        let resolved = spec.resolve(&scene.environment()).unwrap();
        write!(shown, "{resolved:?} {spec:?}").unwrap();
        mask.extend(&Redactor::new(&resolved.secrets));
        let credentials = resolved
            .secrets
            .iter()
            .filter(|secret| secret.is_credential())
            .count();
        assert!(
            credentials > 0 || spec.name.as_str() == "d",
            "{}",
            spec.name
        );
    }
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret} is shown");
        let text = format!("server said: {secret}!");
        assert!(!mask.mask(&text).contains(secret), "{secret} is not masked");
    }
    let told = found.get("b", None).unwrap().notes.join("\n");
    assert!(
        told.contains("argument 2 holds what looks like a credential") && told.contains("${"),
        "{told}"
    );
}

#[test]
fn a_changed_credential_changes_nothing_that_is_stored() {
    let launch = |token: &str| {
        let mut scene = Scene::new();
        scene.set("DEMO_TOKEN", token);
        scene.file(
            ".mcp.json",
            &format!(r#"{{"mcpServers":{{"a":{{"command":"x","args":["--key","{token}"],"env":{{"K":"${{DEMO_TOKEN}}"}}}}}}}}"#),
        );
        scene.discover().servers[0].launch.clone()
    };
    assert_eq!(launch("first-token-1"), launch("second-token-2"));
}

// Cases 54 and 55: what is configured, what is not, and asking for what is not there.

fn pinned(name: &str, words: &[&str]) -> PinnedServer {
    PinnedServer {
        name: ServerName::new(name).unwrap(),
        profile: None,
        launch: Launch {
            target: Target::Command(words.iter().map(|w| (*w).to_owned()).collect()),
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        },
        line: Some(4),
    }
}

#[test]
fn a_pinned_server_that_no_config_names_is_kept_apart_and_starts_as_it_was_pinned() {
    let mut scene = Scene::new();
    scene.file(
        ".mcp.json",
        r#"{"mcpServers":{"alpha":{"command":"demo-server"}}}"#,
    );
    scene.pinned = vec![
        pinned("alpha", &["demo-server"]),
        pinned("gone", &["srv", "${workspace}/x", "${NAME:-y}"]),
        pinned("hidden", &["srv", "--token", "<redacted>"]),
    ];
    let found = scene.discover();
    let names = |specs: &[ServerSpec]| specs.iter().map(|s| s.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&found.servers), ["alpha"]);
    assert_eq!(names(&found.only_pinned), ["gone", "hidden"]);
    let resolved = found.only_pinned[0].resolve(&scene.environment()).unwrap();
    let ResolvedTarget::Command { args, .. } = &resolved.target else {
        panic!()
    };
    let args: Vec<&str> = args.iter().map(mcplock::config::Secret::expose).collect();
    assert_eq!(
        args,
        [format!("{}/x", scene.project.display()).as_str(), "y"]
    );
    let error = found.only_pinned[1]
        .resolve(&scene.environment())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("argument 2 is `<redacted>` in the lockfile"),
        "{error}"
    );
}

#[test]
fn an_unknown_name_is_a_usage_error_with_the_name_that_was_meant() {
    let scene = Scene::new();
    scene.file(
        ".mcp.json",
        r#"{"mcpServers":{"alpha":{"command":"x"},"beta":{"command":"y"}}}"#,
    );
    let error = scene.discover().unknown("alhpa");
    assert_eq!(
        (error.kind(), error.help_text()),
        (ErrorKind::Usage, Some("did you mean `alpha`?"))
    );
    assert_eq!(
        scene.discover().unknown("zzz").help_text(),
        Some("known are alpha, beta")
    );
}

#[test]
fn an_empty_config_gives_no_servers_and_no_error() {
    let scene = Scene::new();
    scene.file(".mcp.json", r#"{"mcpServers":{}}"#);
    let found = scene.discover();
    assert!(found.servers.is_empty() && found.errors.is_empty());
    assert_eq!(found.files[0].servers, 0);
}

// Several files.

#[test]
fn a_clash_between_two_clients_shows_both_places_and_the_word() {
    let scene = Scene::new();
    scene
        .file(
            ".mcp.json",
            "{\"mcpServers\":{\n\"a\":{\"command\":\"npx\",\"args\":[\"-y\",\"p@1.0.0\"]}}}",
        )
        .file(
            ".cursor/mcp.json",
            "{\"mcpServers\":{\n\n\"a\":{\"command\":\"npx\",\"args\":[\"-y\",\"p@2.0.0\"]}}}",
        );
    let found = scene.discover();
    assert!(found.servers.is_empty());
    let error = &found.errors[0];
    assert_eq!(
        error.to_string(),
        ".cursor/mcp.json:3, server `a`: .mcp.json:2 describes a server of this name in another way"
    );
    assert_eq!(
        error.detail_text(),
        Some("at /command/2: `p@1.0.0` in .mcp.json:2, `p@2.0.0` in .cursor/mcp.json:3")
    );
    // The policy goes before both.
    scene.file(
        "mcplock.toml",
        "[[server]]\nname = 'a'\ncommand = ['npx', '-y', 'p@3.0.0']\n",
    );
    let found = scene.discover();
    assert_eq!(found.errors, []);
    assert_eq!(found.servers[0].origin.to_string(), "mcplock.toml:2");
    assert_eq!(
        found
            .others
            .iter()
            .filter(|o| o.standing == Standing::Shadowed)
            .count(),
        2
    );
    assert_eq!(
        found.notes[0],
        "server `a` of .mcp.json:2 is shadowed by mcplock.toml:2"
    );
}

#[test]
fn a_users_own_entry_is_shadowed_by_the_projects_of_the_same_client_only() {
    let mut scene = Scene::new();
    scene.file(
        ".cursor/mcp.json",
        r#"{"mcpServers":{"a":{"command":"x"}}}"#,
    );
    std::fs::create_dir_all(scene.home.join(".cursor")).unwrap();
    std::fs::write(
        scene.home.join(".cursor/mcp.json"),
        r#"{"mcpServers":{"a":{"command":"y"},"b":{"command":"z"}}}"#,
    )
    .unwrap();
    assert_eq!(
        scene.discover().servers.len(),
        1,
        "user-level files are read only when asked for"
    );
    scene.clients = vec![Client::Cursor];
    let found = scene.discover();
    assert_eq!(found.errors, []);
    assert_eq!(found.servers.len(), 2);
    assert_eq!(found.others[0].standing, Standing::Shadowed);
    scene.clients = vec![Client::Windsurf];
    assert!(
        scene.discover().errors[0]
            .to_string()
            .contains("no user-level config of Windsurf")
    );
}

#[test]
fn one_broken_file_or_entry_never_hides_the_others() {
    let scene = Scene::new();
    scene
        .file(
            ".mcp.json",
            "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"bad\":{\"args\":1}}}",
        )
        .file(".cursor/mcp.json", "{\"mcpServers\": ")
        .file(
            ".vscode/mcp.json",
            "{\"servers\":{\"c\":{\"command\":\"z\"},\"c\":{\"command\":\"w\"}}}",
        )
        .file(
            ".gemini/settings.json",
            "{\"mcpServers\":{\"d\":{\"command\":\"d\"}}}",
        );
    let found = scene.discover();
    let names: Vec<&str> = found.servers.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["a", "d"]);
    let errors: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 3, "{errors:#?}");
    assert!(errors[0].starts_with(".mcp.json:1:"), "{errors:#?}");
    assert!(
        errors[1].starts_with(".vscode/mcp.json:1:") && errors[1].contains("twice"),
        "{errors:#?}"
    );
    assert!(errors[2].starts_with(".cursor/mcp.json:1:"), "{errors:#?}");
}

#[test]
fn a_name_with_hidden_characters_or_an_empty_command_is_refused() {
    let scene = Scene::new();
    scene.file(
        ".mcp.json",
        r#"{"mcpServers":{"":{"command":"x"}," a":{"command":"x"},"c":{"command":""},"d":{}}}"#,
    );
    let found = scene.discover();
    assert!(found.servers.is_empty());
    assert_eq!(found.errors.len(), 4);
}

// The guard.

#[test]
fn an_entry_that_runs_the_guard_stands_for_the_guarded_server() {
    let mut scene = Scene::new();
    scene.file(
        ".mcp.json",
        r#"{"mcpServers":{"files":{"command":"mcplock","args":["guard","files"]},"other":{"command":"mcplock","args":["guard","nowhere"]}}}"#,
    );
    scene.pinned = vec![pinned("files", &["npx", "-y", "pkg@1.0.0"])];
    let found = scene.discover();
    let spec = found.get("files", None).unwrap();
    assert_eq!(spec.launch, scene.pinned[0].launch);
    assert_eq!(spec.origin.to_string(), ".mcp.json:1");
    assert!(found.only_pinned.is_empty());
    assert!(
        found.errors[0]
            .to_string()
            .contains("the lockfile pins no server `nowhere`")
    );
    // A config that describes the server itself goes first.
    scene.file(
        "mcplock.toml",
        "[[server]]\nname='files'\ncommand=['npx','-y','pkg@2.0.0']\n",
    );
    let found = scene.discover();
    assert_eq!(
        found.get("files", None).unwrap().origin.to_string(),
        "mcplock.toml:2"
    );
}

// The command line.

#[test]
fn a_server_of_the_command_line_goes_first_and_keeps_its_variables() {
    let mut scene = Scene::new();
    scene.set("TOKEN", "the-token-1");
    scene.file(".mcp.json", r#"{"mcpServers":{"a":{"command":"x"}}}"#);
    scene.command_line = Some(CommandLineServer {
        name: "a".to_owned(),
        command: ["srv", "--token", "${TOKEN}"].map(str::to_owned).to_vec(),
        env: vec!["TOKEN".to_owned(), "MODE=ro".to_owned()],
        ..CommandLineServer::default()
    });
    let found = scene.discover();
    let spec = found.get("a", None).unwrap();
    assert_eq!(
        launch_text(&spec.launch),
        "  command = [\"srv\", \"--token\", \"${TOKEN}\"]\n  env = [\"MODE\", \"TOKEN\"]\n"
    );
    assert_eq!(found.others[0].standing, Standing::Shadowed);
    let resolved = spec.resolve(&scene.environment()).unwrap();
    assert!(
        resolved
            .secrets
            .iter()
            .any(|s| s.is_credential() && s.expose() == "the-token-1")
    );
    for (server, message) in [
        (
            CommandLineServer {
                url: Some("https://h.test".into()),
                headers: vec!["X".into()],
                ..Default::default()
            },
            "a header without a colon",
        ),
        (
            CommandLineServer {
                command: vec!["x".into(), "$HOME".into()],
                ..Default::default()
            },
            "a `$` that begins no variable",
        ),
        (CommandLineServer::default(), "neither a command nor a URL"),
    ] {
        scene.command_line = Some(CommandLineServer {
            name: "a".to_owned(),
            ..server
        });
        let errors = scene.try_discover().unwrap_err();
        assert_eq!(
            (errors[0].kind(), errors[0].message()),
            (ErrorKind::Usage, message)
        );
    }
}

// mcplock.toml.

#[test]
fn a_policy_is_read_with_everything_that_it_can_say() {
    let scene = Scene::new();
    scene.file(
        "mcplock.toml",
        r#"
fail-on = "risky"
reserved-arguments = ["wait_for_previous"]
start-timeout = 90

[limits]
max-items = 20_000
jobs = 2

[[server]]
name = "files"
command = ["npx", "-y", "pkg@1.0.0", "${workspace}/data"]
env = { TOKEN = "${TOKEN}", PATH = "/opt/bin:${PATH}" }
cwd = "tools"
default-dialect = "draft-07"
resources = "ignore"
strict-stdout = true
request-timeout = "500ms"
volatile = [{ item = "tool:read", pointer = "/description", pattern = "port [0-9]+" }]

[[server]]
name = "remote"
url = "https://mcp.example.test/mcp"
headers = { Authorization = "Bearer ${TOKEN}" }

[[server]]
name = "elsewhere"
timeout = "2m"

[[override]]
rule = "words"
level = "compatible"
server = "files"
reason = "we read them"

[[waiver]]
rule = "schema-invalid"
server = "files"
item = "tool:read"
contract = "sha256:00"
reason = "known to the author"
"#,
    );
    let found = scene.discover();
    let policy = &found.policy;
    assert_eq!(found.servers.len(), 2);
    assert_eq!(
        launch_text(&found.get("files", None).unwrap().launch),
        "  command = [\"npx\", \"-y\", \"pkg@1.0.0\", \"${workspace}/data\"]\n  cwd = \"tools\"\n  env = [\"PATH\", \"TOKEN\"]\n  PATH = \"/opt/bin:${PATH}\"\n"
    );
    assert_eq!(policy.fail_on.as_ref().unwrap().text, "risky");
    assert_eq!(
        (policy.limits.max_items, policy.limits.jobs),
        (Some(20_000), Some(2))
    );
    let files = policy.settings(&ServerName::new("files").unwrap(), None);
    assert_eq!(files.reserved_arguments, ["wait_for_previous"]);
    assert_eq!(
        files.start_timeout,
        Some(std::time::Duration::from_secs(90))
    );
    assert_eq!(
        files.request_timeout,
        Some(std::time::Duration::from_millis(500))
    );
    assert_eq!(
        (files.ignore_resources, files.strict_stdout),
        (Some(true), Some(true))
    );
    assert_eq!(files.volatile[0].item, "tool:read");
    let elsewhere = policy.settings(&ServerName::new("elsewhere").unwrap(), None);
    assert_eq!(elsewhere.timeout, Some(std::time::Duration::from_secs(120)));
    assert_eq!(policy.overrides[0].reason, "we read them");
    let waiver = &policy.waivers[0];
    let error = waiver
        .contract
        .read(|_| Err::<(), _>("not a digest"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "mcplock.toml:40: `contract`: not a digest"
    );
}

#[test]
fn everything_wrong_in_a_policy_is_told_at_once_with_its_line() {
    let scene = Scene::new();
    scene.file(
        "mcplock.toml",
        "[[server]]\nname = 'a'\ncomand = ['x']\n[[server]]\nname = 'b'\ncwd = 'x'\n[[waiver]]\nrule = 'r'\nserver = 's'\nitem = 'tool:t'\ncontract = 'c'\n[[override]]\nrule = 'r'\nlevel = 'risky'\nreason = ''\n[[server]]\nname = 'c'\nstart-timeout = 'soon'\n",
    );
    let errors = scene.try_discover().unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "mcplock.toml:3:1, server `a`: unknown key `comand` in [[server]]",
            "mcplock.toml:4:1, server `b`: neither a command nor a URL",
            "mcplock.toml:18:17, server `c`: `start-timeout` must be a time above 0",
            "mcplock.toml:15: `reason` of [[override]] is empty",
            "mcplock.toml:7:1: [[waiver]] needs `reason`",
        ]
    );
    assert_eq!(errors[0].help_text(), Some("did you mean `command`?"));
}

// Inputs, files of variables, helpers.

#[test]
fn an_input_of_the_editor_is_answered_by_a_variable_or_is_an_error_that_names_it() {
    let mut scene = Scene::new();
    scene.file(
        ".vscode/mcp.json",
        "{\"inputs\":[{\"id\":\"api-key\",\"type\":\"promptString\",\"password\":true}],\n\"servers\":{\"a\":{\"command\":\"x\",\"args\":[\"${input:api-key}\"]}}}",
    );
    let error = scene.discover().servers[0]
        .resolve(&scene.environment())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        ".vscode/mcp.json:2, server `a`: argument 1 needs the variable `MCPLOCK_INPUT_API_KEY`, which is not set"
    );
    assert_eq!(
        error.help_text(),
        Some("here is no editor to ask for the input: set `MCPLOCK_INPUT_API_KEY`")
    );
    scene.set("MCPLOCK_INPUT_API_KEY", "answer-1");
    let resolved = scene.discover().servers[0]
        .resolve(&scene.environment())
        .unwrap();
    assert!(
        resolved
            .secrets
            .iter()
            .any(|s| s.is_credential() && s.expose() == "answer-1")
    );
}

#[test]
fn a_file_of_variables_is_read_when_the_server_starts_and_the_configs_own_go_before_it() {
    let scene = Scene::new();
    scene.file(
        ".vscode/mcp.json",
        r#"{"servers":{"a":{"command":"./bin/x","envFile":"${workspaceFolder}/.env","cwd":"sub","env":{"B":"own"}}}}"#,
    );
    std::fs::create_dir(scene.project.join("sub")).unwrap();
    let found = scene.discover();
    let error = found.servers[0].resolve(&scene.environment()).unwrap_err();
    assert!(
        error.to_string().contains("server `a`: could not read"),
        "{error}"
    );
    scene.file(".env", "A=from-file-1\nB=from-file-2\n");
    let resolved = found.servers[0].resolve(&scene.environment()).unwrap();
    let ResolvedTarget::Command {
        program, env, cwd, ..
    } = &resolved.target
    else {
        panic!()
    };
    assert_eq!(
        (env["A"].expose(), env["B"].expose()),
        ("from-file-1", "own")
    );
    assert_eq!(cwd, &scene.project.join("sub"));
    assert_eq!(
        program,
        &scene.project.join("sub/./bin/x").display().to_string()
    );
    assert!(resolved.secrets.iter().any(|s| s.expose() == "from-file-1"));
    assert_eq!(
        found.servers[0].launch.env,
        ["B"],
        "names in a file of this machine are not stored"
    );
}

#[test]
fn a_command_that_prints_headers_is_handed_over_with_its_words() {
    let scene = Scene::new();
    scene.file(
        ".mcp.json",
        r#"{"mcpServers":{"a":{"type":"http","url":"https://h.test/mcp","headersHelper":"./get --for 'my mcp'"}}}"#,
    );
    let resolved = scene.discover().servers[0]
        .resolve(&scene.environment())
        .unwrap();
    let ResolvedTarget::Url { headers_helper, .. } = resolved.target else {
        panic!()
    };
    let helper = headers_helper.unwrap();
    assert!(helper.program.ends_with("project/./get"));
    let args: Vec<&str> = helper
        .args
        .iter()
        .map(mcplock::config::Secret::expose)
        .collect();
    assert_eq!(args, ["--for", "my mcp"]);
    assert_eq!(helper.env["CLAUDE_CODE_MCP_SERVER_NAME"].expose(), "a");
    assert!(!helper.env.contains_key("DEMO_TOKEN"));
}

#[test]
fn a_header_can_not_be_split_by_what_a_variable_holds() {
    let mut scene = Scene::new();
    scene.set("V", "a\r\nX-Evil: 1");
    scene.file(".mcp.json", r#"{"mcpServers":{"a":{"url":"https://h.test","headers":{"X-A":"${V}"}},"b":{"url":"${V}"}}}"#);
    let found = scene.discover();
    for spec in &found.servers {
        let error = spec.resolve(&scene.environment()).unwrap_err();
        assert!(!error.to_string().contains("Evil"), "{error}");
    }
}

#[test]
fn a_file_of_the_user_named_as_a_client_config_works_in_the_project() {
    let mut scene = Scene::new();
    std::fs::create_dir_all(scene.home.join(".cursor")).unwrap();
    std::fs::write(
        scene.home.join(".cursor/mcp.json"),
        r#"{"mcpServers":{"a":{"command":"x","args":["${workspaceFolder}"]}}}"#,
    )
    .unwrap();
    scene.client_configs = vec![scene.home.join(".cursor/mcp.json")];
    let found = scene.discover();
    assert_eq!(found.servers[0].folder, scene.project);
    // A project file elsewhere works in its own folder, stored relative to the lockfile.
    scene.file(
        "packages/p/.cursor/mcp.json",
        r#"{"mcpServers":{"b":{"command":"x","args":["${workspaceFolder}"],"env":{}}}}"#,
    );
    scene.client_configs = vec![PathBuf::from("packages/p/.cursor/mcp.json")];
    let found = scene.discover();
    assert_eq!(
        launch_text(&found.servers[0].launch),
        "  command = [\"x\", \"${workspace}/packages/p\"]\n  cwd = \"packages/p\"\n"
    );
    scene.client_configs = vec![PathBuf::from("missing.json")];
    assert!(
        scene.discover().errors[0]
            .to_string()
            .starts_with("missing.json")
    );
}

#[test]
fn a_pinned_launch_starts_what_the_config_started() {
    let mut scene = Scene::new();
    scene.set("TOKEN", "t").set("HOST", "h.test");
    scene.file(
        ".mcp.json",
        r#"{"mcpServers":{
            "cmd":{"command":"npx","args":["-y","p@1.0.0","${CLAUDE_PROJECT_DIR}/data","--price=$5","${MODE:-ro}"],"env":{"TOKEN":"${TOKEN}","NODE_OPTIONS":"--x"}},
            "url":{"url":"https://${HOST}/mcp","headers":{"X-Mode":"${MODE:-a b}"}}
        }}"#,
    );
    let configured = scene.discover();
    scene.pinned = configured
        .servers
        .iter()
        .map(|spec| PinnedServer {
            name: spec.name.clone(),
            profile: None,
            launch: spec.launch.clone(),
            line: None,
        })
        .collect();
    std::fs::remove_file(scene.project.join(".mcp.json")).unwrap();
    std::fs::write(scene.project.join("mcp-lock.toml"), "").unwrap();
    let from_lock = scene.discover();
    assert_eq!(from_lock.only_pinned.len(), 2);
    for (one, other) in configured.servers.iter().zip(&from_lock.only_pinned) {
        assert_eq!(one.launch, other.launch);
        let words = |spec: &ServerSpec| match spec.resolve(&scene.environment()).unwrap().target {
            ResolvedTarget::Command {
                program,
                args,
                env,
                cwd,
            } => {
                let mut all = vec![program, cwd.display().to_string()];
                all.extend(
                    args.iter()
                        .chain(env.values())
                        .map(|s| s.expose().to_owned()),
                );
                all
            }
            ResolvedTarget::Url { url, headers, .. } => {
                let mut all = vec![url.expose().to_owned()];
                all.extend(
                    headers
                        .iter()
                        .map(|(name, value)| format!("{name}: {}", value.expose())),
                );
                all
            }
        };
        assert_eq!(words(one), words(other));
    }
}

// The canary.

const CANARY: &str = "c4nary-0f-th3-m1ne";

#[test]
fn no_error_of_a_config_repeats_a_credential() {
    let texts = [
        format!("{{\"mcpServers\":{{\"a\":{{\"command\":\"x\",\"args\":\"{CANARY}\"}}}}}}"),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"command\":\"x\",\"args\":[\"--token\",\"{CANARY}\"] \"env\"}}}}}}"
        ),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"command\":\"x\",\"env\":{{\"TOKEN\":[\"{CANARY}\"]}}}}}}}}"
        ),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"command\":\"x\",\"args\":[\"--token\",\"{CANARY}${{\"]}}}}}}"
        ),
        format!("{{\"mcpServers\":{{\"a\":{{\"url\":\"ftp://u:{CANARY}@h.test/\"}}}}}}"),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"url\":\"https://h.test/\",\"headers\":{{\"X Y\":\"{CANARY}\"}}}}}}}}"
        ),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"url\":\"https://h.test/\",\"headers\":{{\"Cookie\":\"{CANARY}\\n\"}}}}}}}}"
        ),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"command\":\"x\",\"url\":\"https://u:{CANARY}@h.test/\",\"type\":\"sse\"}}}}}}"
        ),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"command\":\"x\",\"args\":[\"--password={CANARY}\",\"${{UNSET}}\"]}}}}}}"
        ),
        format!(
            "{{\"mcpServers\":{{\"a\":{{\"command\":\"x\",\"args\":[\"--password={CANARY}\",\"<redacted>\"]}}}}}}"
        ),
    ];
    for text in texts {
        let scene = Scene::new();
        scene.file(".mcp.json", &text);
        // A second place with another launch: the clash shows words of both.
        scene.file(
            ".cursor/mcp.json",
            "{\"mcpServers\":{\"a\":{\"command\":\"y\",\"args\":[\"--token\",\"other-c4nary\"]}}}",
        );
        let mut shown = String::new();
        let found = scene.discover();
        write!(shown, "{found:?}").unwrap();
        for spec in &found.servers {
            write!(shown, "{:?}", spec.resolve(&scene.environment())).unwrap();
        }
        std::fs::remove_file(scene.project.join(".cursor/mcp.json")).unwrap();
        let found = scene.discover();
        write!(shown, "{found:?}").unwrap();
        for spec in &found.servers {
            write!(shown, "{:?}", spec.resolve(&scene.environment())).unwrap();
        }
        assert!(
            !shown.contains(CANARY) && !shown.contains("other-c4nary"),
            "{text}\n{shown}"
        );
    }
}

// The page.

#[test]
fn the_page_names_every_client_and_its_example_is_right() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configs.md");
    let page = std::fs::read_to_string(page).unwrap().replace("\r\n", "\n");
    for client in Client::ALL {
        assert!(
            page.contains(&format!("| `{}` |", client.word())),
            "{}",
            client.word()
        );
    }
    for name in mcplock::config::INHERITED_UNIX
        .iter()
        .chain(&mcplock::config::INHERITED_WINDOWS)
    {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    let example = page
        .split("```toml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let scene = Scene::new();
    scene.file("mcplock.toml", example);
    let found = scene.discover();
    assert_eq!(found.servers.len(), 2);
    assert_eq!(found.policy.server_settings.len(), 3);
    assert_eq!(
        (found.policy.overrides.len(), found.policy.waivers.len()),
        (1, 1)
    );
}

/// The launches of published servers, as they were recorded.
fn recorded_launches() -> Vec<Vec<String>> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED launches of published servers: MCPLOCK_SUITES is not set");
        return Vec::new();
    };
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut launches: Vec<Vec<String>> = folders(&PathBuf::from(suites).join("corpus"))
        .iter()
        .flat_map(|package| folders(package))
        .filter_map(|version| std::fs::read_to_string(version.join("meta.json")).ok())
        .map(|text| {
            let meta: serde_json::Value = serde_json::from_str(&text).unwrap();
            let words = meta["command"].as_array().unwrap().iter();
            words
                .map(|word| word.as_str().unwrap().to_owned())
                .collect()
        })
        .collect();
    launches.sort();
    launches.dedup();
    launches
}

#[test]
fn ordinary_arguments_of_published_servers_raise_no_alarm() {
    let launches = recorded_launches();
    if launches.is_empty() {
        return;
    }
    let mut redacted = Vec::new();
    for words in &launches {
        let scene = Scene::new();
        let entry = serde_json::json!({ "mcpServers": { "s": { "command": words[0], "args": &words[1..] } } });
        scene.file(".mcp.json", &entry.to_string());
        let found = scene.discover();
        let text = launch_text(&found.get("s", None).unwrap().launch);
        if text.contains("<redacted>") {
            redacted.push(words.join(" "));
        }
    }
    eprintln!(
        "{} of {} launches hold a credential:",
        redacted.len(),
        launches.len()
    );
    for line in &redacted {
        eprintln!("  {line}");
        // Each one has a user and a password in a URL, or a token behind its name.
        assert!(line.contains("user:pass@") || line.contains("--"), "{line}");
    }
}
