package past

import (
	"path/filepath"
	"slices"
	"strings"
)

// Server is one that has left files.
type Server struct {
	Name string // what sets its folder apart from those of the others
	Files
}

// Servers tells whose the files are: each folder that has a log is a server's. Snapshots in other folders are
// everybody's, as those of a server whose dataLogDir isn't its dataDir.
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

// namesOf are what sets folders apart: what is left of them without what all begin and end with.
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

// alike reports whether all have the same part at one end, and more than that.
func alike(parts [][]string, end func([]string) string) bool {
	return !slices.ContainsFunc(parts, func(p []string) bool { return len(p) < 2 || end(p) != end(parts[0]) })
}
