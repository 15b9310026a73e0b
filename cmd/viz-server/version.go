package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// revisionDigits are how much of a revision is printed: enough to find it.
const revisionDigits = 12

// version is the version that --version prints.
func version() string {
	return versionOf(buildInfo()) + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// buildInfo is what is known of the build.
func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{GoVersion: runtime.Version()}
}

// versionOf is what a build says of itself: its module's version, the revision in the repository, and Go's version.
func versionOf(info *debug.BuildInfo) string {
	number := info.Main.Version
	if number == "" || number == "(devel)" {
		number = "of no released version"
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
