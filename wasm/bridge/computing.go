//go:build js && wasm

package bridge

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// computing returns the feeds whose requests wait for a computation.
func (b *Bridge) computing() (all []*feed) {
	if b.source.feed.computing != nil {
		all = append(all, &b.source.feed)
	}
	if x := b.Beside.second; x != nil && x.computing != nil {
		all = append(all, &x.feed)
	}
	return all
}

// progress says how far the first of them is, or "".
func (b *Bridge) progress() string {
	all := b.computing()
	switch {
	case len(all) == 0:
		return ""
	case all[0].computing.Events == 0:
		return b.page.panes.Say("computing.waits")
	}
	return b.page.panes.Say("computing", sentence.Grouped(all[0].computing.Events))
}

// stop gives up what is being computed.
func (b *Bridge) stop() (sent bool) {
	for _, f := range b.computing() {
		sent = f.server.send(protocol.Request{Do: protocol.Stop}) || sent
	}
	return sent
}
