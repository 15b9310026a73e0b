package recordings

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// Config says which recordings.
type Config struct {
	Folder *record.Folder // this server's; nil if it records nothing
	// Bus connects with other servers; nil as long as they can't be reached. It is nil itself if there are none.
	Bus func() *shared.Bus
	// Of says what a cluster's name stands for.
	Of  func(cluster string) Cluster
	Log *slog.Logger // dropped if nil
}

// Cluster is what a cluster's name stands for at this server.
type Cluster struct {
	Group  string // the same at all servers that mean the same cluster
	Label  string // what readers call it
	Shared bool   // others may see its recordings
}

// Shelf has the recordings of this server and of others. It is safe for concurrent use.
type Shelf struct {
	cfg Config

	mu    sync.Mutex
	heard map[string]time.Time // other folders, and when they were last heard of
}

// New returns a shelf, which hears of others while Run runs.
func New(cfg Config) *Shelf {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Shelf{cfg: cfg, heard: map[string]time.Time{}}
}

// Query says which recordings.
type Query struct {
	Name  string // the one with this file name, whatever the rest is; empty for any
	All   bool   // of all clusters
	Group string // of this one, unless All
	Path  string // that have this znode: of it, or of one above it; empty for all
	AtMS  int64  // that have this moment, in ms since 1970; 0 for any
	Skip  int    // leaves out so many of the newest
	Count int    // at most so many
}

// Recording is a recording at one of the servers.
type Recording struct {
	record.Record
	ID        string // finds it at any server
	Label     string // of its cluster
	Elsewhere bool   // at another server
}

// Found is what was found.
type Found struct {
	Rows   []Recording // the newest first
	All    int         // how many there are, with those that were left out
	Silent int         // servers that should have answered
}

// Group returns the group of a cluster's name.
func (s *Shelf) Group(cluster string) string { return s.cfg.Of(cluster).Group }

// Folder returns this server's recordings, nil if there are none.
func (s *Shelf) Folder() *record.Folder { return s.cfg.Folder }

// Shares reports whether there may be other servers.
func (s *Shelf) Shares() bool { return s.cfg.Bus != nil }

// Find returns the recordings that q asks for, of all servers.
func (s *Shelf) Find(ctx context.Context, q Query) (f Found) {
	each := q
	each.Skip, each.Count = 0, q.Skip+q.Count
	rows, all := s.here(each, func(record.Record) bool { return true })
	f.All = all
	if s.Shares() {
		others := s.findElsewhere(ctx, each)
		rows, f.All, f.Silent = append(rows, others.Rows...), f.All+others.All, others.Silent
		slices.SortStableFunc(rows, func(a, b Recording) int {
			return cmp.Or(b.From.Compare(a.From), strings.Compare(b.ID, a.ID))
		})
	}
	rows = rows[min(q.Skip, len(rows)):]
	f.Rows = rows[:min(q.Count, len(rows))]
	return f
}

// here returns this server's recordings that may be given away, and how many there are.
func (s *Shelf) here(q Query, may func(record.Record) bool) (rows []Recording, all int) {
	if s.cfg.Folder == nil {
		return nil, 0
	}
	for _, r := range s.cfg.Folder.List() {
		if !s.fits(q, r) || !may(r) {
			continue
		}
		if all++; all > q.Skip && len(rows) < q.Count {
			rows = append(rows, Recording{Record: r, ID: s.idOf(r.Name), Label: s.cfg.Of(r.Cluster).Label})
		}
	}
	return rows, all
}

func (s *Shelf) fits(q Query, r record.Record) bool {
	if q.Name != "" {
		return r.Name == q.Name
	}
	return (q.Path == "" || window.Within(q.Path, r.Path)) && (q.All || s.Group(r.Cluster) == q.Group) &&
		(q.AtMS == 0 || r.From.UnixMilli() <= q.AtMS && q.AtMS <= r.To.UnixMilli())
}

// idOf returns the ID of a recording of this server. Without others, its name is enough.
func (s *Shelf) idOf(name string) string {
	if !s.Shares() {
		return name
	}
	return s.cfg.Folder.ID() + "." + name
}

// split returns the folder and the name in an ID. A name alone is of this server.
func (s *Shelf) split(id string) (folder, name string) {
	if folder, name, ok := strings.Cut(id, "."); ok && record.IsID(folder) {
		return folder, name
	}
	if s.cfg.Folder != nil {
		folder = s.cfg.Folder.ID()
	}
	return folder, id
}

// Reader reads a recording, up to the last event that was written when it was opened. Callers must close it.
type Reader struct {
	io.ReadSeeker
	Recording
	close func() error
}

// Close closes the file, if it is here.
func (r *Reader) Close() error { return r.close() }

// ErrAway says that the recording's server doesn't answer.
var ErrAway = sentence.Error("records.away")

// Open opens the recording with an ID. It returns an os.ErrNotExist if there's none, and ErrAway if that can't be found
// out. Reading one that is elsewhere fails with ErrAway once its server is gone, and when ctx ends.
func (s *Shelf) Open(ctx context.Context, id string) (*Reader, error) {
	folder, name := s.split(id)
	switch {
	case s.cfg.Folder != nil && folder == s.cfg.Folder.ID():
		return s.openHere(name)
	case !s.Shares() || folder == "" || !record.IsSegment(name):
		return nil, os.ErrNotExist
	}
	return s.openElsewhere(ctx, folder, name)
}

func (s *Shelf) openHere(name string) (*Reader, error) {
	r, err := s.cfg.Folder.Read(name)
	if err != nil {
		return nil, err
	}
	of := Recording{Record: r.Record, ID: s.idOf(name), Label: s.cfg.Of(r.Cluster).Label}
	return &Reader{r.SectionReader, of, r.Close}, nil
}

func (s *Shelf) openElsewhere(ctx context.Context, folder, name string) (*Reader, error) {
	rows, _, err := s.ask(ctx, folder, Query{Name: name, Count: 1})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || rows[0].Name != name {
		return nil, fmt.Errorf("recording %s: %w", name, os.ErrNotExist)
	}
	pieces := &pieces{shelf: s, ctx: ctx, folder: folder, of: rows[0]}
	return &Reader{io.NewSectionReader(pieces, 0, rows[0].Bytes), rows[0], func() error { return nil }}, nil
}
