// Command release builds viz-server for every released platform, with the browser's program inside, and packs each
// build: `make release`. The same commit and the same Go give identical archives, byte for byte.
//
// It publishes nothing, and uses nothing of the project but its sources.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// targets lists the released platforms.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"},
}

// target is a platform in Go's terms.
type target struct{ os, arch string }

func main() {
	to := flag.String("o", "out/release", "the folder for the archives and SHA256SUMS; what is in it is removed")
	only := flag.String("only", "", "build for one platform alone, like linux/amd64")
	flag.Parse()
	if err := release(*to, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release fills the folder with the archives and their sums.
func release(to, only string) error {
	for _, program := range []string{"stage", "engine", "story"} {
		if _, err := os.Stat("static/built/" + program + ".wasm.br"); err != nil {
			return errors.New("the programs for the browser aren't built: make release does it")
		}
	}
	version, err := output("git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return err
	}
	at, err := committed()
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755)); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, t := range targets {
		if only != "" && only != t.os+"/"+t.arch {
			continue
		}
		name, archive, err := t.pack(version, at)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
		if err := os.WriteFile(filepath.Join(to, name), archive, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name)
		fmt.Printf("%s, %.1f MB\n", filepath.Join(to, name), float64(len(archive))/1e6)
	}
	if sums.Len() == 0 {
		return fmt.Errorf("-only: %q is not one of %v", only, targets)
	}
	return os.WriteFile(filepath.Join(to, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// pack builds the program for a platform. It returns an archive with the program and its documents.
func (t target) pack(version string, at time.Time) (name string, archive []byte, err error) {
	program, err := t.build()
	if err != nil {
		return "", nil, err
	}
	name = fmt.Sprintf("zkviz-%s-%s-%s", version, t.os, t.arch)
	files := []file{{name + "/" + t.program(), program, 0o755}}
	beside := []string{"README.md", "CHANGELOG.md", "SECURITY.md", "DIFFERENCES.md", "LICENSE", "static/licences.txt"}
	if t.os == "linux" {
		beside = append(beside, "cmd/viz-server/zkviz.service")
	}
	for _, path := range beside {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{name + "/" + filepath.Base(path), text, 0o644})
	}
	docs, err := filepath.Glob("docs/*.*")
	if err != nil {
		return "", nil, err
	}
	for _, path := range docs {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{name + "/" + filepath.ToSlash(path), text, 0o644})
	}
	if t.os == "windows" {
		archive, err = zipped(files, at)
		return name + ".zip", archive, err
	}
	archive, err = tarred(files, at)
	return name + ".tar.gz", archive, err
}

// program returns the program's file name on the platform.
func (t target) program() string {
	if t.os == "windows" {
		return "viz-server.exe"
	}
	return "viz-server"
}

// build returns the program. It contains nothing of this machine: no paths, no libc, no time.
func (t target) build() ([]byte, error) {
	dir, err := os.MkdirTemp("", "zkviz-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, t.program())
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", path,
		"./cmd/viz-server")
	cmd.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(path)
}

// committed returns the last commit's time, which all archived files get.
func committed() (time.Time, error) {
	text, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// output returns a command's output without surrounding space.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}
