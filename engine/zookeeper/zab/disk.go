package zab

import "slices"

// Disk holds what a server finds when it starts. Hosts change it when they carry out effects. A Node only reads it.
type Disk struct {
	Accepted Epoch // acceptedEpoch: the highest epoch that was promised
	Current  Epoch // currentEpoch: the epoch of the leader whose history was adopted
	Snapshot Snapshot
	Log      []Entry // after the snapshot, perhaps with some entries before it, in rising order
	Durable  int     // how many entries of Log are on the disk and not only in the system's memory

	// Files lists the first transaction of each log file except the oldest. A server begins a file when it starts
	// and after a snapshot.
	Files  []Zxid
	rolled bool // the next transaction begins a new file
}

// Snapshot is the state up to a transaction, in a format that the host chooses.
type Snapshot struct {
	Zxid  Zxid
	State []byte
	Open  []Entry // those in State that no server had applied as committed when it was taken, in order, for reports
}

// Last returns the last logged transaction, whether it is on the disk or not.
func (d *Disk) Last() Zxid {
	if n := len(d.Log); n > 0 {
		return d.Log[n-1].Zxid
	}
	return d.Snapshot.Zxid
}

// Synced returns the last transaction that is on the disk.
func (d *Disk) Synced() Zxid {
	if d.Durable > 0 {
		return d.Log[d.Durable-1].Zxid
	}
	return d.Snapshot.Zxid
}

// Append writes an entry to the log. Only Sync puts it on the disk. An entry that is older than the last, which only a
// flaw lets in, goes to its place, and the end of the log is written again.
func (d *Disk) Append(e Entry) {
	if e.Zxid < d.Last() {
		d.Log = slices.Insert(d.Log, d.after(e.Zxid), e)
		return
	}
	if d.rolled && len(d.Log) > 0 {
		d.Files = append(d.Files, e.Zxid)
	}
	d.rolled = false
	d.Log = append(d.Log, e)
}

// Roll makes the next transaction begin a new file.
func (d *Disk) Roll() { d.rolled = true }

// filesAfter returns how many files begin after z.
func (d *Disk) filesAfter(z Zxid) (n int) {
	for n < len(d.Files) && d.Files[len(d.Files)-1-n] > z {
		n++
	}
	return n
}

// Sync puts the log up to z on the disk.
func (d *Disk) Sync(z Zxid) {
	d.Durable = max(d.Durable, d.after(z))
}

// Truncate cuts the log after z, on the disk too.
func (d *Disk) Truncate(z Zxid) {
	d.Log = slices.Clip(d.Log[:d.after(z)])
	d.Durable = len(d.Log)
	d.Files = d.Files[:len(d.Files)-d.filesAfter(z)]
	d.Roll()
}

// Save replaces everything with a snapshot, on the disk.
func (d *Disk) Save(s Snapshot) {
	d.Snapshot, d.Log, d.Durable, d.Files = s, nil, 0, nil
}

// Shorten stores a snapshot of the state up to some committed and synced transaction. It drops at most that many of
// the oldest entries up to there.
func (d *Disk) Shorten(s Snapshot, most int) {
	d.Snapshot = s
	n := min(most, d.after(s.Zxid), d.Durable)
	d.Log = slices.Clone(d.Log[n:])
	d.Durable -= n
	for len(d.Files) > 0 && len(d.Log) > 0 && d.Files[0] <= d.Log[0].Zxid {
		d.Files = d.Files[1:]
	}
	d.Roll()
}

// LosePower drops everything that is not on the disk.
func (d *Disk) LosePower() {
	d.Log = slices.Clip(d.Log[:d.Durable])
	d.Files = d.Files[:len(d.Files)-d.filesAfter(d.Last())]
}

// after returns how many log entries are at or before z.
func (d *Disk) after(z Zxid) int {
	i, found := slices.BinarySearchFunc(d.Log, z, func(e Entry, z Zxid) int {
		switch {
		case e.Zxid < z:
			return -1
		case e.Zxid > z:
			return 1
		}
		return 0
	})
	if found {
		i++
	}
	return i
}

// Has reports whether z is the snapshot's transaction or in the log.
func (d *Disk) Has(z Zxid) bool {
	i := d.after(z)
	return z == d.Snapshot.Zxid || i > 0 && d.Log[i-1].Zxid == z
}

// After returns the log after z.
func (d *Disk) After(z Zxid) []Entry { return d.Log[d.after(z):] }
