package attacks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
)

// bell is what a terminal must not be told: to change its title, to ring, to go back, to clear itself; and the same
// with the single characters that some terminals take for ESC and a bracket.
const bell = "\x1b]0;owned\x07\x1b[2J\r\b\x7f\u009b2J\u0085"

// escaped are traces with that in every place that a program might print, valid ones and damaged ones.
func escaped() map[string]string {
	q := func(s string) string { return string(event.AppendQuoted(nil, s)) }
	head := func(recipe, root, fault, keeps string) string {
		return fmt.Sprintf(`{"format":"zkviz-trace","version":1,"recipe":%s,"host":"sim","root":%s,"clients":2,"rounds":1,"seed":"1","faults":[%s],"parents":[%s],"keeps":[%s]}`+"\n",
			q(recipe), q(root), q(fault), q(root), q(keeps))
	}
	plain := head("unique-lock", "/l", "crash client-1 at 1s", "k")
	body := func(s string) string {
		return fmt.Sprintf(`{"seq":1,"at_ns":0,"kind":"run.started","text":%[1]s}
{"seq":2,"at_ns":1,"kind":"client.started","actor":1,"text":%[1]s}
{"seq":3,"at_ns":2,"kind":"client.started","actor":2,"text":%[1]s}
{"seq":4,"at_ns":3,"kind":"znode.created","peer":1,"path":%[2]s,"zxid":1,"text":%[1]s}
{"seq":5,"at_ns":4,"kind":"recipe.phase","actor":1,"text":"holding","path":%[2]s}
{"seq":6,"at_ns":5,"kind":"recipe.phase","actor":2,"text":"holding","path":%[2]s}
{"seq":7,"at_ns":6,"kind":"recipe.phase","actor":2,"text":%[1]s,"path":%[2]s}
{"seq":8,"at_ns":7,"kind":"recipe.note","actor":2,"text":%[1]s}
{"seq":9,"at_ns":8,"kind":"client.exited","actor":1,"text":%[1]s}
{"seq":10,"at_ns":9,"kind":"run.ended","text":%[1]s}
`, q(s), q("/l/"+s))
	}
	return map[string]string{
		"events":      plain + body(bell),
		"header":      head(bell, "/"+bell, bell, bell) + body("x"),
		"everything":  head("unique-lock"+bell, "/l/"+bell, bell, bell) + body(bell),
		"kind":        plain + `{"seq":1,"at_ns":0,"kind":` + q(bell) + "}\n",
		"op":          plain + `{"seq":1,"at_ns":0,"kind":"op.sent","actor":1,"op":` + q(bell) + "}\n",
		"field":       plain + `{"seq":1,"at_ns":0,"kind":"run.started",` + q(bell) + ":1}\n",
		"raw":         plain + bell + "\n",
		"raw header":  bell + "\n",
		"raw field":   `{"format":"zkviz-trace","version":1,` + q(bell) + ":1}\n",
		"version":     `{"format":` + q(bell) + `,"version":1}` + "\n",
		"number":      `{"format":"zkviz-trace","version":1,"seed":` + q(bell) + "}\n",
		"session":     plain + `{"seq":1,"at_ns":0,"kind":"session.created","session":` + q(bell) + "}\n",
		bell:          plain + "{\n", // the file's name counts too
		"not in UTF8": plain + "{\"seq\":1,\"at_ns\":0,\"kind\":\"\x9b2J\xff\"}\n",
	}
}

func escapes(ctx context.Context, w *World) error {
	dir := filepath.Join(w.Dir, "escapes")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all := escaped()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(all[name]), 0o600); err != nil {
			return err
		}
		for _, args := range [][]string{{"check", file}, {"check", "--json", file}, {"render", file}} {
			out, errs, _, err := w.run(ctx, args...)
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				return err
			}
			command := strings.Join(args[:len(args)-1], " ")
			if c := control(out); c != "" {
				w.broken("viz-server %s of a trace with escapes (%q) writes %s to its standard output", command, name, c)
			}
			if c := control(errs); c != "" {
				w.broken("viz-server %s of a trace with escapes (%q) writes %s to its standard error", command, name, c)
			}
		}
	}
	w.note("%d traces were checked and drawn", len(all))
	return nil
}

// control is the first control character in what was printed, with a bit of what is around it; empty if there is none.
// A lone byte that a terminal may take for one counts.
func control(b []byte) string {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r == utf8.RuneError && n == 1 {
			return fmt.Sprintf("%q", b[max(0, i-10):min(len(b), i+10)])
		}
		i += n
	}
	return ""
}
