// Package innode runs the programs of a page's workers in Node. It is only for tests: those of wasm/engine and
// wasm/story call it.
package innode

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/need"
)

//go:embed worker.js
var worker []byte

// Program is a program that runs, and ends with the test.
type Program struct {
	tb  testing.TB
	in  io.Writer
	out *bufio.Reader
}

// Start runs a program that make wasm builds into a folder, and waits until it is ready.
func Start(tb testing.TB, folder, name string) *Program {
	tb.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		need.Installed(tb, errors.New("Node isn't installed"))
	}
	if folder, err = filepath.Abs(folder); err != nil {
		tb.Fatal(err)
	}
	program := filepath.Join(folder, name+".wasm")
	if _, err := os.Stat(program); err != nil {
		tb.Fatalf("%s is missing; build it with: make wasm", program)
	}
	script := filepath.Join(tb.TempDir(), "worker.js")
	if err := os.WriteFile(script, worker, 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), node, script, program, filepath.Join(folder, "wasm_exec.js"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	p := &Program{tb, in, bufio.NewReader(out)}
	var m struct{ Kind string }
	if p.Next(&m); m.Kind != "ready" {
		tb.Fatalf("%s begins with %+v", name, m)
	}
	return p
}

// Send sends messages that come in one turn.
func (p *Program) Send(all ...any) {
	p.tb.Helper()
	var lines []byte
	for _, m := range all {
		text, err := json.Marshal(m)
		if err != nil {
			p.tb.Fatal(err)
		}
		lines = append(append(lines, text...), '\n')
	}
	if _, err := p.in.Write(lines); err != nil {
		p.tb.Fatal(err)
	}
}

// Next waits for the next message, and returns its text too.
func (p *Program) Next(m any) (text []byte) {
	p.tb.Helper()
	text, err := p.out.ReadBytes('\n')
	if err != nil {
		p.tb.Fatal(err)
	}
	if err := json.Unmarshal(text, m); err != nil {
		p.tb.Fatal(err)
	}
	return text
}
