package cluster

import "github.com/zkviz/zkviz/engine/event"

// Addresses is addresses.
func (e Elsewhere) Addresses(kind event.SystemKind) []string { return e.addresses(kind) }
