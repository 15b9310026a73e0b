package servers

import (
	"fmt"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/conform"
)

// Record plays a script on a fresh server of that name, or the one at that address, and writes it down with
// its answers. A first line such as "#! check=50ms" says how often the server looks for containers that are due;
// otherwise it does not. Patience is as in conform.Player.
func Record(name, text string, patience time.Duration) (string, error) {
	s, err := conform.Parse(text)
	if err != nil {
		return "", err
	}
	check, err := checkOf(text)
	if err != nil {
		return "", err
	}
	t := named(name, check)
	addr := t.Addr
	if t.Start != nil {
		var end func()
		if addr, end, err = t.Start(); err != nil {
			return "", err
		}
		defer end()
	}
	return record(addr, s, patience)
}

func record(addr string, s conform.Script, patience time.Duration) (string, error) {
	p, err := conform.NewPlayer(addr)
	if err != nil {
		return "", fmt.Errorf("the server at %s: %w", addr, err)
	}
	defer p.Close()
	p.Patience = patience
	rounds, err := p.Play(s)
	return conform.Record(rounds), err
}

func checkOf(text string) (time.Duration, error) {
	first, _, _ := strings.Cut(text, "\n")
	value, ok := strings.CutPrefix(first, "#! check=")
	if !ok {
		return never, nil
	}
	return time.ParseDuration(value)
}
