//go:build js && wasm

package bridge

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/fork"
	"github.com/zkviz/zkviz/engine/event"
)

// longestQuery is the maximum length of a scenario that engine/run reads from an address, minus room for a recipe's
// name and what the lab adds.
const longestQuery = 2048 - 96

// fork returns what was seen up to the current moment and after it, as a scenario: a description, its query without the
// recipe, what its run is compared with, and all of it for a file if the query would be too long. It is about the
// selected znode.
func (b *Bridge) fork() map[string]any {
	h := b.player.Log.Shown().History()
	if h == nil {
		return b.noFork(fork.ErrNoLine)
	}
	facts := fork.Read(b.player.Log.Run().Header, func(yield func(event.Event) bool) {
		for i := range h.Len() {
			if !yield(h.Event(i)) {
				return
			}
		}
	})
	cfg := fork.Config{At: b.player.Head.At()}
	if at := b.player.Selected(); strings.HasPrefix(at, "/") {
		cfg.Path = at
	}
	whole, err := facts.Fork(cfg)
	if err != nil && cfg.Path != "" {
		cfg.Path = ""
		whole, err = facts.Fork(cfg)
	}
	if err != nil {
		return b.noFork(err)
	}
	fits := func(f *fork.Fork) bool { return len(f.Query("")) <= longestQuery }
	short := whole
	if !fits(&whole) {
		if short, err = facts.Fitting(cfg, fits); err != nil {
			return b.noFork(err)
		}
	}
	said := []any{}
	for _, s := range short.Said {
		said = append(said, b.page.panes.Says(s))
	}
	return map[string]any{"use": short.Kind(), "said": said, "seen": short.Seen.String(),
		"query": short.Query(""), "long": !fits(&whole), "file": scenario(&whole),
		"at": (cfg.At - short.From).Round(time.Millisecond).String()}
}

func (b *Bridge) noFork(err error) map[string]any {
	return map[string]any{"error": b.page.panes.Error(err)}
}

// scenario returns a fork in the form of a scenario file, without the recipe.
func scenario(f *fork.Fork) map[string]any {
	file := map[string]any{}
	for _, p := range f.Parameters() {
		switch {
		case p.Many && len(p.Texts) > 0:
			texts := make([]any, len(p.Texts))
			for i := range p.Texts {
				texts[i] = p.Texts[i]
			}
			file[p.Name+"s"] = texts
		case !p.Many:
			file[strings.ReplaceAll(p.Name, "-", "_")] = p.Texts[0]
		}
	}
	return file
}
