package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// revisionDigits is how many digits of a revision are printed: enough to find it.
const revisionDigits = 12

// version returns what --version prints.
func version() string {
	return versionOf(buildInfo()) + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// buildInfo returns what is known of the build.
func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{GoVersion: runtime.Version()}
}

// versionOf describes a build: its module's version, its revision and Go's version.
func versionOf(info *debug.BuildInfo) string {
	number := info.Main.Version
	if number == "" || number == "(devel)" {
		number = "(unreleased)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		number += ", revision " + revision[:min(revisionDigits, len(revision))]
		if at := settings["vcs.time"]; at != "" {
			number += " of " + at
		}
		if settings["vcs.modified"] == "true" {
			number += " with changes"
		}
	}
	return fmt.Sprintf("viz-server %s, built with %s", number, info.GoVersion)
}
