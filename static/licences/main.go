// Command licences writes static/licences.txt: the licences of everything linked into viz-server and the browser's
// program, from the module cache and from Go itself. make gen runs it in the project's folder.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	written = "static/licences.txt"
	module  = "github.com/zkviz/zkviz"
)

// program is a distributed program: a package built for a system.
type program struct {
	goos, goarch, pkg string
	name              string // for the reader
}

// programs lists several systems for viz-server, so that the result doesn't depend on the building machine.
var programs = [...]program{
	{"linux", "amd64", module + "/cmd/viz-server", "viz-server"},
	{"darwin", "arm64", module + "/cmd/viz-server", "viz-server"},
	{"windows", "amd64", module + "/cmd/viz-server", "viz-server"},
	{"js", "wasm", module + "/wasm", "stage.wasm"},
	{"js", "wasm", module + "/wasm/engine", "engine.wasm"},
	{"js", "wasm", module + "/wasm/story", "story.wasm"},
}

func main() {
	text, err := collect()
	if err == nil {
		err = os.WriteFile(written, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// part is a linked module.
type part struct {
	title string   // its path and version
	in    []string // the programs that link it
	dirs  []string // the module's root and its linked packages; no others are searched
}

// collect returns the text of static/licences.txt.
func collect() ([]byte, error) {
	parts, err := linked()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.WriteString("viz-server, and stage.wasm, engine.wasm and story.wasm, which it serves to browsers, are built " +
		"from zkviz and from the work of others.\n" +
		"These are the licences of all of it.\n")
	for _, p := range parts {
		if err := p.write(&text); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// linked returns zkviz, Go, then all linked modules by path.
func linked() ([]part, error) {
	byTitle := map[string]*part{}
	for _, p := range programs {
		if err := p.add(byTitle); err != nil {
			return nil, err
		}
	}
	own := byTitle[module]
	if own == nil {
		return nil, fmt.Errorf("go list knows no %s", module)
	}
	delete(byTitle, module)
	own.dirs = own.dirs[:1] // the licences of others' code in its packages are listed below
	goroot, err := output(program{}, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	parts := []part{*own, {title: "Go: its runtime, its standard library and wasm_exec.js", in: own.in,
		dirs: []string{strings.TrimSpace(goroot)}}}
	for _, p := range byTitle {
		parts = append(parts, *p)
	}
	slices.SortFunc(parts[2:], func(a, b part) int { return strings.Compare(a.title, b.title) })
	return parts, nil
}

// add adds the modules that the program is linked from.
func (p program) add(byTitle map[string]*part) error {
	list, err := output(p, "list", "-deps", "-f",
		"{{if not .Standard}}{{.Module.Path}}\t{{.Module.Version}}\t{{.Module.Dir}}\t{{.Dir}}{{end}}", p.pkg)
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			return fmt.Errorf("go list -deps %s: the line %q doesn't have four fields", p.pkg, line)
		}
		title := strings.TrimSpace(f[0] + " " + f[1])
		m := byTitle[title]
		if m == nil {
			m = &part{title: title, dirs: []string{f[2]}}
			byTitle[title] = m
		}
		if !slices.Contains(m.in, p.name) {
			m.in = append(m.in, p.name)
		}
		for dir := f[3]; dir != f[2] && len(dir) > len(f[2]); dir = filepath.Dir(dir) {
			if !slices.Contains(m.dirs, dir) {
				m.dirs = append(m.dirs, dir)
			}
		}
	}
	return nil
}

// output returns the go command's output, for the program's system.
func output(p program, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if p.goos != "" {
		cmd.Env = append(cmd.Env, "GOOS="+p.goos, "GOARCH="+p.goarch)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, errs.Bytes())
	}
	return string(out), nil
}

const rule = "\n--------------------------------------------------------------------------------\n"

// write adds the part's licences and notices. A part without any is an error: it may not be distributed.
func (p part) write(text *bytes.Buffer) error {
	fmt.Fprintf(text, "%s%s\nIn %s.\n", rule, p.title, strings.Join(p.in, " and "))
	found := false
	slices.Sort(p.dirs[1:])
	for _, dir := range p.dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", p.title, err)
		}
		for _, e := range entries {
			if !isLicence(e.Name()) || !e.Type().IsRegular() {
				continue
			}
			licence, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return fmt.Errorf("%s: %w", p.title, err)
			}
			licence = bytes.ReplaceAll(licence, []byte("\r\n"), []byte("\n"))
			fmt.Fprintf(text, "\n%s\n", bytes.Trim(licence, "\n"))
			found = true
		}
	}
	if !found {
		return fmt.Errorf("%s: there is no licence in %s", p.title, p.dirs[0])
	}
	return nil
}

// isLicence reports whether a file of this name contains a licence or its notice.
func isLicence(name string) bool {
	stem := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(name), ".TXT"), ".MD")
	for _, want := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"} {
		if stem == want || strings.HasPrefix(stem, want+"-") || strings.HasPrefix(stem, want+".") &&
			!strings.HasSuffix(stem, ".GO") {
			return true
		}
	}
	return false
}
