package cluster

import "github.com/zkviz/zkviz/engine/event"

// Addresses exports addresses.
func (e Elsewhere) Addresses(kind event.SystemKind) []string { return e.addresses(kind) }
