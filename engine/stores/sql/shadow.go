package sql

import (
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Shadow keeps the shadow state of a real database: it infers rows, transactions and locks from statements and their
// replies. It sees only the run's own clients, in the order in which the replies arrived. It implements remote.Shadow.
type Shadow struct {
	id      event.Actor
	dialect Dialect
	emit    func(event.Event) event.Seq
	open    map[int]*shadowSession // by connection
	rows    map[string]*shadowRow
	locks   map[string]*shadowSession // holders, by path
	maybe   []uncertainRow
	txs     int64
}

// shadowSession holds what is known of a session.
type shadowSession struct {
	conn     int
	from     event.Actor
	tx       int64 // its transaction, 0 for none
	aborted  bool  // in PostgreSQL: the transaction can only be ended
	wrote    []change
	locked   []string       // by the transaction
	names    map[string]int // advisory locks, and how often it has locked each
	asked    *remote.RoundTrip
	waitsFor string // lock that it waits for, or ""
	orphaned bool   // its client is gone, but it hasn't noticed
}

// shadowRow holds the values of a row. An unknown number is -1.
type shadowRow struct {
	by      event.Actor
	owner   string
	until   time.Duration
	n       int64
	version int64
}

// change is a transaction's change to a row, with the old values, nil for none.
type change struct {
	path string
	was  *shadowRow
}

// uncertainRow is what a statement without a reply may have written.
type uncertainRow struct {
	path string
	row  shadowRow
}

const unknown = -1

// NewShadow returns a Shadow for a database with empty tables.
func NewShadow(id event.Actor, d Dialect, emit func(event.Event) event.Seq) *Shadow {
	return &Shadow{id: id, dialect: d, emit: emit, open: map[int]*shadowSession{}, rows: map[string]*shadowRow{},
		locks: map[string]*shadowSession{}}
}

func (w *Shadow) say(e event.Event) event.Seq {
	e.Actor = w.id
	return w.emit(e)
}

func (w *Shadow) session(x remote.RoundTrip) *shadowSession {
	k := w.open[x.Conn]
	if k == nil {
		k = &shadowSession{conn: x.Conn, from: x.From, names: map[string]int{}}
		w.open[x.Conn] = k
	}
	return k
}

// Asked implements remote.Shadow. A statement waits for a lock that another session has.
func (w *Shadow) Asked(x remote.RoundTrip) {
	k := w.session(x)
	k.asked = &x
	w.mayWait(k)
}

// mayWait makes the session wait if another one has locked what its statement needs.
func (w *Shadow) mayWait(k *shadowSession) {
	x := k.asked
	if !x.Request.Blocks || k.waitsFor != "" {
		return
	}
	paths := []string{x.Request.Path}
	if c, _ := x.Request.Body.(*Call); c != nil && c.Statement == LockTask && w.dialect == MySQL {
		paths = w.jobs() // it reads them all
	}
	for _, path := range paths {
		if o := w.locks[path]; o == nil || o == k {
			continue
		}
		k.waitsFor = path
		w.say(event.Event{Kind: event.RequestWaits, Peer: k.from, Path: k.waitsFor, Op: event.Command, Cause: x.Cause})
		return
	}
}

// served ends the session's wait.
func (w *Shadow) served(k *shadowSession, why event.Reason) {
	if k.waitsFor != "" {
		w.say(event.Event{Kind: event.RequestServed, Peer: k.from, Path: k.waitsFor, Op: event.Command, Reason: why})
		k.waitsFor = ""
	}
}

// Answered implements remote.Shadow.
func (w *Shadow) Answered(x remote.RoundTrip) {
	k := w.session(x)
	k.asked = nil
	call, _ := x.Request.Body.(*Call)
	if call == nil {
		return
	}
	a := answered{w, k, x, call}
	switch r := x.Reply.Body.(type) {
	case *Error:
		a.failed(r)
	case *Result:
		if x.Request.Blocks && r.Rows > 0 {
			w.takenOver(x.Request.Path, k, x.Cause)
		}
		a.done(r)
		w.served(k, event.NoReason)
	}
}

// takenOver records that a session took over a lock. The previous holder may not know yet.
func (w *Shadow) takenOver(path string, k *shadowSession, cause event.Seq) {
	o := w.locks[path]
	if o == nil || o == k {
		return
	}
	if o.orphaned {
		w.finish(o, false, event.ConnLost, cause)
		return
	}
	if x := o.asked; x != nil {
		cause = x.Cause
		switch c, _ := x.Request.Body.(*Call); {
		case c == nil:
		case c.Statement == Commit:
			w.endTx(o, true, event.ByCommit, cause)
		case c.Statement == Rollback:
			w.endTx(o, false, event.ByRollback, cause)
		case c.Statement == AdvisoryUnlock && x.Request.Path == path:
			w.free(o, path, event.ByOp, cause)
		}
	}
	if w.locks[path] == o {
		w.free(o, path, event.ByUnknown, cause)
	}
}

// hold records that the session's transaction has locked a row, or the session an advisory lock. Sessions that
// requested it earlier now wait for it.
func (w *Shadow) hold(k *shadowSession, path string, cause event.Seq) {
	if w.locks[path] == k {
		return
	}
	w.take(k, path, cause)
	for _, conn := range sorted(w.open) {
		if o := w.open[conn]; o != k && o.asked != nil && o.asked.Request.Path == path {
			w.mayWait(o)
		}
	}
}

// take is hold for the duration of a statement.
func (w *Shadow) take(k *shadowSession, path string, cause event.Seq) {
	w.takenOver(path, k, cause)
	w.locks[path] = k
	tx := k.tx
	if _, advisory := k.names[path]; advisory {
		tx = 0
	} else {
		k.locked = append(k.locked, path)
	}
	w.say(event.Event{Kind: event.LockTaken, Peer: k.from, Path: path, Session: tx, Cause: cause})
}

// free records that the session has released a lock.
func (w *Shadow) free(k *shadowSession, path string, why event.Reason, cause event.Seq) {
	tx := k.tx
	if _, advisory := k.names[path]; advisory {
		tx = 0
		delete(k.names, path)
	}
	k.locked = slices.DeleteFunc(k.locked, func(p string) bool { return p == path })
	if w.locks[path] == k {
		delete(w.locks, path)
		w.say(event.Event{Kind: event.LockFreed, Peer: k.from, Path: path, Session: tx, Reason: why, Cause: cause})
	}
}

// begin records the start of a transaction.
func (w *Shadow) begin(k *shadowSession, cause event.Seq) {
	w.txs++
	k.tx, k.aborted = w.txs, false
	w.say(event.Event{Kind: event.TxBegan, Peer: k.from, Session: k.tx, Cause: cause})
}

// endTx records the end of the session's transaction.
func (w *Shadow) endTx(k *shadowSession, commit bool, why event.Reason, cause event.Seq) {
	if k.tx == 0 {
		return
	}
	cause = w.say(event.Event{Kind: event.TxEnded, Peer: k.from, Session: k.tx, Reason: why, Cause: cause})
	if !commit {
		for _, c := range slices.Backward(k.wrote) {
			w.undo(k, c, cause)
		}
	}
	for _, path := range slices.Clone(k.locked) {
		w.free(k, path, why, cause)
	}
	k.tx, k.wrote = 0, nil
}

// undo reverts a transaction's change to a row.
func (w *Shadow) undo(k *shadowSession, c change, cause event.Seq) {
	if c.was == nil {
		delete(w.rows, c.path)
		w.say(event.Event{Kind: event.EntryGone, Peer: k.from, Path: c.path, Reason: event.ByRollback, Cause: cause})
		return
	}
	w.rows[c.path] = c.was
	w.sayRow(c.path, c.was, 0, cause)
}

// finish ends a session with its transaction and locks.
func (w *Shadow) finish(k *shadowSession, commit bool, why event.Reason, cause event.Seq) {
	w.endTx(k, commit, why, cause)
	for _, path := range sorted(k.names) {
		w.free(k, path, why, cause)
	}
	delete(w.open, k.conn)
}

// Closed implements remote.Shadow. A session that waits for a lock doesn't look at its connection: it lasts until
// another session, or none, has what it waits for.
func (w *Shadow) Closed(conn int, _ time.Duration, cause event.Seq) {
	k := w.open[conn]
	if k == nil {
		return
	}
	waits := k.waitsFor
	w.served(k, event.ConnLost)
	if k.asked != nil {
		if call, _ := k.asked.Request.Body.(*Call); call != nil {
			w.unsure(k, call)
		}
		k.asked = nil
	}
	if o := w.locks[waits]; waits != "" && o != nil && o != k {
		k.orphaned = true
		return
	}
	w.finish(k, false, event.ConnLost, cause)
	w.endOrphans(cause)
}

// endOrphans ends the sessions without a client once no lock is left that they can wait for.
func (w *Shadow) endOrphans(cause event.Seq) {
	for _, o := range w.locks {
		if !o.orphaned {
			return
		}
	}
	for _, conn := range sorted(w.open) {
		if k := w.open[conn]; k != nil && k.orphaned {
			w.finish(k, false, event.ConnLost, cause)
		}
	}
}

// Tick implements remote.Shadow. Nothing expires by itself: the row of an expired lease stays.
func (w *Shadow) Tick(time.Duration) {}

// Ends implements remote.Shadow.
func (w *Shadow) Ends(func(event.Actor) bool) bool { return false }

// Left implements remote.Shadow. A run's tables are all dropped together.
func (w *Shadow) Left() []string { return nil }

func sorted[K int | string, V any](m map[K]V) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sayRow emits the values of a row.
func (w *Shadow) sayRow(path string, r *shadowRow, tx int64, cause event.Seq) {
	e := event.Event{Kind: event.EntrySet, Peer: r.by, Path: path, Text: r.text(), N: int64(r.until), Session: tx,
		Cause: cause}
	switch {
	case r.version > 0:
		e.Zxid = r.version
	case r.until != 0:
		e.Zxid = r.n
	}
	w.say(e)
}

// text returns a row's values in readable form.
func (r *shadowRow) text() string {
	switch {
	case r.until != 0:
		return event.Preview([]byte(r.owner + ", fence " + strconv.FormatInt(r.n, 10)))
	case r.owner != "":
		return event.Preview([]byte(r.owner))
	}
	text := "n=?"
	if r.n != unknown {
		text = "n=" + strconv.FormatInt(r.n, 10)
	}
	if r.version > 0 {
		text += ", version " + strconv.FormatInt(r.version, 10)
	}
	return text
}
