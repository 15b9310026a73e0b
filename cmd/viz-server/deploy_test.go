package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// instruction is a line of a Dockerfile.
type instruction struct{ name, rest string }

// lastStage reads the Dockerfile's last two stages: the build and the image.
func lastStage(t *testing.T) (build, image []instruction) {
	t.Helper()
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			if name == "FROM" {
				build, image = image, nil
			}
			image = append(image, instruction{name, rest})
		}
	}
	return build, image
}

// words returns the JSON list of an instruction.
func (i instruction) words(t *testing.T) (words []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(i.rest), &words); err != nil {
		t.Fatalf("%s %s: %v", i.name, i.rest, err)
	}
	return words
}

// TestImage starts the server like the image: with its environment and command, in an empty directory. Everything
// that the image copies must exist, and it must need no privileges.
func TestImage(t *testing.T) {
	build, image := lastStage(t)
	of, owners := map[string]instruction{}, map[string]string{}
	for _, i := range image {
		of[i.name] = i
		if i.name != "COPY" {
			continue
		}
		words := strings.Fields(i.rest)
		from, to := words[len(words)-2], words[len(words)-1]
		if !strings.HasPrefix(from, "/etc/ssl/") && !strings.Contains(text(build), "-o "+from+" ./cmd/viz-server") &&
			!strings.Contains(text(build), "mkdir -m 0700 "+from+"\n") {
			t.Errorf("nothing makes %s", from)
		}
		owners[to] = strings.TrimPrefix(words[1], "--chown=")
	}
	for _, want := range []string{"COPY go.mod go.sum ./", "make small && ", "CGO_ENABLED=0"} {
		if !strings.Contains(text(build), want) {
			t.Errorf("the build lacks %s", want)
		}
	}
	module, err := os.ReadFile("../../go.mod")
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	if err != nil || !strings.HasPrefix(build[0].rest, "golang:"+string(version[1])+" ") {
		t.Errorf("it is built from %s, and the module needs Go %s, %v", build[0].rest, version[1], err)
	}
	if user := of["USER"].rest; !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(user) {
		t.Errorf("it runs as %q", user)
	}
	if owner := owners[stateFolder(t)]; owner != of["USER"].rest { // a volume there gets its owner from the image
		t.Errorf("the image's folder for recordings belongs to %q", owner)
	}
	if image[0].rest != "scratch" || of["STOPSIGNAL"].rest != "SIGTERM" {
		t.Errorf("the image is %+v", image)
	}
	for _, set := range strings.Fields(of["ENV"].rest) {
		name, value, _ := strings.Cut(set, "=")
		t.Setenv(name, value)
	}
	entry, command := of["ENTRYPOINT"].words(t), of["CMD"].words(t)
	_, check, _ := strings.Cut(of["HEALTHCHECK"].rest, "CMD ")
	health := instruction{"HEALTHCHECK", check}.words(t)
	if entry[0] != "/viz-server" || health[0] != entry[0] {
		t.Errorf("it starts %q, and is asked by %q", entry, health)
	}
	if s, err := parseServe(t, append(entry[1:], command...)...); err != nil || s.Addr != "0.0.0.0:"+of["EXPOSE"].rest {
		t.Errorf("it listens at %s and exposes %s, %v", s.Addr, of["EXPOSE"].rest, err)
	}
	var cli commandLine
	parser, err := kong.New(&cli, flagTexts())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(health[1:]); err != nil || cli.Health.Addr != os.Getenv("ZKVIZ_ADDR") {
		t.Errorf("it is asked at %s, %v", cli.Health.Addr, err)
	}
	t.Chdir(t.TempDir())
	starts(t, append(entry[1:], command...))
}

func text(of []instruction) string {
	var b strings.Builder
	for _, i := range of {
		b.WriteString(i.name + " " + i.rest + "\n")
	}
	return b.String()
}

// starts runs a serve command on a free port until it listens, and stops it. It must leave no file behind.
func starts(t *testing.T, args []string) {
	t.Helper()
	if len(args) == 0 || args[0] != "serve" {
		t.Fatalf("%q is not serve", args)
	}
	address, stop := served(t, args[1:]...) // on a free port
	code, log := stop()
	if address == "" || code != exitOK {
		t.Errorf("%q: at %q, exit code %d\n%s", args, address, code, log)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// TestUnit starts the server like the systemd unit, and verifies the unit if systemd is installed.
func TestUnit(t *testing.T) {
	unit, err := os.ReadFile("zkviz.service")
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindSubmatch(unit)
	if start == nil {
		t.Fatal("the unit starts nothing")
	}
	command := strings.Fields(string(start[1]))
	const config = "/etc/zkviz/zkviz.toml"
	for i, arg := range command {
		if arg == config {
			command[i] = fileOf(t, "zkviz.toml", "allow-host = [\"viz.example.com\"]\n")
		}
	}
	if filepath.Base(command[0]) != "viz-server" || !strings.Contains(string(unit), config) {
		t.Errorf("the unit starts %q", command)
	}
	verify(t, strings.ReplaceAll(string(unit), command[0], "/bin/sh"))
	t.Chdir(t.TempDir())
	starts(t, command[1:])
}

// stateFolder returns the folder for recordings, which the unit and the image have.
func stateFolder(t *testing.T) string {
	t.Helper()
	unit, err := os.ReadFile("zkviz.service")
	name := regexp.MustCompile(`(?m)^StateDirectory=(.*)$`).FindSubmatch(unit)
	if err != nil || name == nil {
		t.Fatalf("the unit has no folder for recordings, %v", err)
	}
	return "/var/lib/" + string(name[1])
}

// TestStateFolder records as the unit does: systemd makes the folder a link to a private one, for the unit's own user.
func TestStateFolder(t *testing.T) {
	private, link := t.TempDir(), filepath.Join(t.TempDir(), "zkviz")
	if err := os.Chmod(private, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(private, link); err != nil {
		t.Skip(err)
	}
	address, stop := served(t, "--config", fileOf(t, "zkviz.toml",
		"zk = \"127.0.0.1:1\"\nrecord = "+strconv.Quote(link)+"\nrecord-path = \"/app\"\n"))
	code, log := stop()
	if address == "" || code != exitOK || strings.Contains(log, "record") {
		t.Errorf("at %q, exit code %d\n%s", address, code, log)
	}
	if left, err := os.ReadDir(private); err != nil || len(left) == 0 {
		t.Errorf("nothing is in the folder, %v", err)
	}
}

// verify checks a unit with systemd, which prints nothing for a correct one.
func verify(t *testing.T, unit string) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Log("there is no systemd to read the unit")
		return
	}
	file := fileOf(t, "zkviz.service", unit)
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", file).CombinedOutput()
	if said := string(out); err != nil || strings.Contains(said, file) {
		t.Errorf("%v: %s", err, said)
	}
}
