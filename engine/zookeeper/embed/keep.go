package embed

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
)

// load creates the server, from the data file if there is one.
func (s *Server) load() error {
	s.cfg.drawSeed()
	c := s.cfg.core(s.start)
	c.FirstSession = firstSession(1, s.start)
	c.Number = func() event.Actor { return nextActor(s) }
	if s.cfg.Data == "" {
		s.core = server.New(c)
		return nil
	}
	file, snapshot, err := openData(s.cfg.Data)
	if err != nil {
		return err
	}
	s.data = file
	if snapshot == nil {
		s.core = server.New(c)
		return s.save() // write at once: an unwritable file should fail now, not in an hour
	}
	if s.core, err = server.Restore(c, snapshot); err != nil {
		return fmt.Errorf("data file %s: %w; it is left as it is. %s", file.path, err, dataAdvice)
	}
	s.stats.kept = s.core.Zxid()
	return nil
}

// core returns the configuration of a server whose clock began at start, without the first session's number.
func (c Config) core(start time.Time) server.Config {
	return server.Config{
		Tick:            c.Tick,
		MaxTimeout:      c.MaxTimeout,
		MaxSessions:     c.MaxSessions,
		Seed:            c.Seed,
		EpochMS:         start.UnixMilli(),
		ContainerCheck:  c.ContainerCheck,
		NoExtendedTypes: c.NoExtendedTypes,
		Limits:          c.limits(),
		Portion:         portion,
	}
}

// drawSeed draws an unpredictable seed for sessions' passwords, unless the configuration sets one.
func (c *Config) drawSeed() {
	if c.Seed == 0 {
		var b [8]byte
		_, _ = rand.Read(b[:]) // it never fails, see crypto/rand
		c.Seed = binary.LittleEndian.Uint64(b[:])
	}
}

// firstSession returns a session number that no earlier server has used. ZooKeeper's servers also count from the
// clock.
func firstSession(server int, now time.Time) int64 {
	return int64(server)<<56 | now.UnixMilli()<<24>>8&(1<<56-1)
}

// keep writes the data file at intervals if something has changed.
func (s *Server) keep() {
	every := time.NewTicker(s.cfg.SnapshotEvery)
	defer every.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-every.C:
		}
		if err := s.save(); err != nil {
			s.log.printf("%v", err)
		}
	}
}

// save writes the data file unless it is up to date. Requests wait while the snapshot is taken, but not while it is
// written.
func (s *Server) save() error {
	if s.data == nil {
		return nil
	}
	s.mu.Lock()
	zxid := s.core.Zxid()
	if s.data.last != nil && zxid == s.stats.kept {
		s.mu.Unlock()
		return nil
	}
	snapshot := s.core.Snapshot(nil)
	s.mu.Unlock()
	if err := s.data.save(snapshot); err != nil {
		return err
	}
	s.mu.Lock()
	s.stats.kept = zxid
	s.stats.saved++
	s.mu.Unlock()
	return nil
}
