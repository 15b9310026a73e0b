package past

import (
	"path/filepath"
	"slices"
	"strings"
)

// Server is a server with its files.
type Server struct {
	Name string // the part of its folder's path that distinguishes it
	Files
}

// Servers groups the files by server: each folder with a log is one. Snapshots in other folders belong to every
// server, as when dataLogDir isn't dataDir.
func (f Files) Servers() []Server {
	byFolder := map[string]*Server{}
	var folders []string
	for _, log := range f.Logs {
		dir := filepath.Dir(log.Path)
		if byFolder[dir] == nil {
			byFolder[dir] = &Server{}
			folders = append(folders, dir)
		}
		byFolder[dir].Logs = append(byFolder[dir].Logs, log)
	}
	slices.Sort(folders)
	for _, snapshot := range f.Snapshots {
		if of := byFolder[filepath.Dir(snapshot.Path)]; of != nil {
			of.Snapshots = append(of.Snapshots, snapshot)
			continue
		}
		for _, of := range byFolder {
			of.Snapshots = append(of.Snapshots, snapshot)
		}
	}
	var all []Server
	names := namesOf(folders)
	for i, dir := range folders {
		byFolder[dir].Name = names[i]
		all = append(all, *byFolder[dir])
	}
	return all
}

// namesOf returns the parts that distinguish folders: their paths without common beginnings and ends.
func namesOf(folders []string) []string {
	parts := make([][]string, len(folders))
	for i, dir := range folders {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		parts[i] = strings.Split(strings.Trim(filepath.ToSlash(dir), "/"), "/")
	}
	for i, p := range parts {
		if n := len(p); n > 1 && p[n-1] == versionFolder {
			parts[i] = p[:n-1]
		}
	}
	if len(parts) == 1 {
		return parts[0][len(parts[0])-1:]
	}
	for alike(parts, func(p []string) string { return p[len(p)-1] }) {
		for i := range parts {
			parts[i] = parts[i][:len(parts[i])-1]
		}
	}
	for alike(parts, func(p []string) string { return p[0] }) {
		for i := range parts {
			parts[i] = parts[i][1:]
		}
	}
	names := make([]string, len(folders))
	for i, p := range parts {
		names[i] = strings.Join(p, "/")
	}
	return names
}

// alike reports whether all paths have the same element at one end, and more elements.
func alike(parts [][]string, end func([]string) string) bool {
	return !slices.ContainsFunc(parts, func(p []string) bool { return len(p) < 2 || end(p) != end(parts[0]) })
}
