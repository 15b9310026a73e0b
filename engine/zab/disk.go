package zab

import "slices"

// Disk is what a server finds when it starts. Hosts change it when they carry out effects; a Node only reads it.
type Disk struct {
	Accepted Epoch // acceptedEpoch: the highest that was promised
	Current  Epoch // currentEpoch: of the leader whose history was adopted
	Snapshot Snapshot
	Log      []Entry // after the snapshot, and perhaps some before, in rising order
	Durable  int     // how many of Log are on the disk, and not only in the system's memory

	// Files are the first transactions of the files that the log is in, but for the oldest. A server begins one when it
	// starts, and after a snapshot.
	Files  []Zxid
	rolled bool // the next transaction begins a file
}

// Snapshot is a state up to a transaction, in a form of the host's.
type Snapshot struct {
	Zxid  Zxid
	State []byte
}

// Last is the last transaction that is logged, on the disk or not.
func (d *Disk) Last() Zxid {
	if n := len(d.Log); n > 0 {
		return d.Log[n-1].Zxid
	}
	return d.Snapshot.Zxid
}

// Synced is the last transaction that is on the disk.
func (d *Disk) Synced() Zxid {
	if d.Durable > 0 {
		return d.Log[d.Durable-1].Zxid
	}
	return d.Snapshot.Zxid
}

// Append writes to the log. Only a Sync puts that on the disk.
func (d *Disk) Append(e Entry) {
	if d.rolled && len(d.Log) > 0 {
		d.Files = append(d.Files, e.Zxid)
	}
	d.rolled = false
	d.Log = append(d.Log, e)
}

// Roll has the next transaction begin a file.
func (d *Disk) Roll() { d.rolled = true }

// filesAfter is how many files begin behind z.
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

// Truncate cuts off what is behind z, on the disk.
func (d *Disk) Truncate(z Zxid) {
	d.Log = slices.Clip(d.Log[:d.after(z)])
	d.Durable = len(d.Log)
	d.Files = d.Files[:len(d.Files)-d.filesAfter(z)]
	d.Roll()
}

// Save replaces all by a snapshot, on the disk.
func (d *Disk) Save(s Snapshot) {
	d.Snapshot, d.Log, d.Durable, d.Files = s, nil, 0, nil
}

// Shorten writes a snapshot of what the log has up to some transaction that is committed and on the disk, and drops so
// many of the oldest entries up to there.
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

// LosePower takes away what is not on the disk.
func (d *Disk) LosePower() {
	d.Log = slices.Clip(d.Log[:d.Durable])
	d.Files = d.Files[:len(d.Files)-d.filesAfter(d.Last())]
}

// after is how many entries of the log are not behind z.
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

// Has reports whether z is the snapshot's, or in the log.
func (d *Disk) Has(z Zxid) bool {
	i := d.after(z)
	return z == d.Snapshot.Zxid || i > 0 && d.Log[i-1].Zxid == z
}

// After is the log behind z.
func (d *Disk) After(z Zxid) []Entry { return d.Log[d.after(z):] }
