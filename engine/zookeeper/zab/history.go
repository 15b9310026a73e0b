package zab

import "slices"

// history holds the server's epochs and where its log ends, as they will be once all effects are carried out.
type history struct {
	node *Node
	disk *Disk // only read; effects that are not carried out yet come on top

	accepted, current Epoch
	logged            Zxid   // the last entry in the log
	processed         Zxid   // the last transaction in the server's state; (epoch, 0) for a new leader
	unacked           []Zxid // logged; acknowledged once they are on the disk
}

// recover reads the disk. It reports whether its epochs are possible.
func (h *history) recover() bool {
	h.accepted, h.current, h.logged = h.disk.Accepted, h.disk.Current, h.disk.Last()
	if h.node.cfg.Flaws.Has(ForgetsPromise) {
		h.accepted = h.current
	}
	// A server may crash after it wrote its log or its leader's snapshot and before it wrote currentEpoch. It then
	// has a history of that epoch and may say so.
	if e := h.logged.Epoch(); e > h.current && e <= h.accepted {
		h.current = e
	}
	return h.logged.Epoch() <= h.current && h.current <= h.accepted
}

// append writes an entry to the log.
func (h *history) append(e Entry) {
	h.logged = e.Zxid
	h.node.do(Effect{Kind: Append, Entry: e})
}

// deliver applies a committed entry.
func (h *history) deliver(e Entry) {
	h.processed = e.Zxid
	h.node.do(Effect{Kind: Deliver, Entry: e})
}

// promise writes acceptedEpoch.
func (h *history) promise(e Epoch, to ID) {
	n := h.node
	h.accepted = e
	if n.cfg.Flaws.Has(ForgetsPromise) {
		n.do(Effect{Kind: Promises, Epoch: e, To: to})
	} else {
		n.do(Effect{Kind: SetAccepted, Epoch: e, To: to})
	}
}

// adopt writes currentEpoch.
func (h *history) adopt(e Epoch, of ID) {
	h.current = e
	h.node.do(Effect{Kind: SetCurrent, Epoch: e, To: of})
}

// behind reports whether the sender of an ACKEPOCH has a longer history than this server.
func (h *history) behind(m *Message) bool {
	switch f := h.node.cfg.Flaws; {
	case f.Has(VotesByNumber):
		return false
	case m.Epoch != h.current && !f.Has(VotesByZxid):
		return m.Epoch > h.current
	}
	return m.Zxid > h.logged
}

// truncate cuts the log after z.
func (h *history) truncate(z Zxid) {
	n := h.node
	if n.cfg.Flaws.Has(NeverTruncates) {
		return
	}
	h.logged, h.processed = z, z
	n.do(Effect{Kind: Truncate, Zxid: z})
	n.do(Effect{Kind: Reload})
}

// replace replaces everything with the leader's snapshot.
func (h *history) replace(leader ID, m *Message) {
	h.logged, h.processed = m.Zxid, m.Zxid
	h.node.do(Effect{Kind: Load, To: leader, Message: *m})
	h.node.do(Effect{Kind: Save, Message: *m})
}

// keepAll makes all entries count that are logged, also those that are not committed.
func (h *history) keepAll() {
	h.unacked = h.unacked[:0]
	h.node.do(Effect{Kind: CatchUp})
	h.processed = h.logged
	if e := h.logged.Epoch(); e > h.current { // it lost its leader between the snapshot and NEWLEADER; see recover
		h.adopt(e, 0)
	}
}

// acknowledgeOnceSynced makes the server acknowledge z once it is on its disk.
func (h *history) acknowledgeOnceSynced(z Zxid) {
	if h.node.cfg.Flaws.Has(AcksBeforeSync) {
		h.node.acknowledge(z)
		return
	}
	h.unacked = append(h.unacked, z)
}

// synced returns the entries to acknowledge now that the log is on the disk up to z.
func (h *history) synced(z Zxid) []Zxid {
	i := 0
	for i < len(h.unacked) && h.unacked[i] <= z {
		i++
	}
	synced := slices.Clone(h.unacked[:i])
	h.unacked = h.unacked[:copy(h.unacked, h.unacked[i:])]
	return synced
}
