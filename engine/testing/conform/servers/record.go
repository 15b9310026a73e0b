package servers

import (
	"fmt"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/testing/conform"
)

// Record plays a script on a new server of that name, or the one at that address, and returns it with the replies. A
// first line "#! check=50ms" sets how often the server looks for expired containers, otherwise it doesn't. With "#!
// no-extended-types" it rejects TTLs. Patience is as in conform.Player.
func Record(name, text string, patience time.Duration) (string, error) {
	s, err := conform.Parse(text)
	if err != nil {
		return "", err
	}
	with, err := settingsOf(text)
	if err != nil {
		return "", err
	}
	t := named(name, with)
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

func settingsOf(text string) (settings, error) {
	with := settings{check: never}
	first, _, _ := strings.Cut(text, "\n")
	words, ok := strings.CutPrefix(first, "#! ")
	if !ok {
		return with, nil
	}
	for _, word := range strings.Fields(words) {
		var err error
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "check":
			with.check, err = time.ParseDuration(value)
		case "no-extended-types":
			with.noExtendedTypes = true
		default:
			err = fmt.Errorf("there is no setting %s", key)
		}
		if err != nil {
			return with, err
		}
	}
	return with, nil
}
