//go:build js && wasm

package bridge

import (
	"strings"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// fork asks for what was seen up to the current moment and after it, as a scenario. It is about the selected znode. The
// page is told with the event zkviz-fork.
func (b *Bridge) fork() {
	r := protocol.Request{Do: protocol.WhatIf, Branch: b.player.Log.Branch(), AtMS: b.player.Head.At().Milliseconds()}
	if at := b.player.Selected(); strings.HasPrefix(at, "/") && len(at) <= protocol.MaxPath {
		r.Path = at
	}
	if !b.source.send(r) {
		b.page.tellNoFork(b.page.panes.Say("link.lost", host()))
	}
}

// tellFork gives the page a scenario: a description, its query without the recipe, what its run is compared with, and
// the query of all of it if that is too long for an address.
func (p *page) tellFork(m *protocol.Fork) {
	said := []any{}
	for _, s := range m.Said {
		said = append(said, p.panes.Says(s))
	}
	p.tell("zkviz-fork", map[string]any{"use": m.Use, "said": said, "seen": m.Seen, "query": m.Query, "whole": m.Whole})
}

func (p *page) tellNoFork(why string) { p.tell("zkviz-fork", map[string]any{"error": why}) }
