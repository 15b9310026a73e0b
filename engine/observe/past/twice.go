package past

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// DuplicateError reports that two logs of a server have different transactions under a zxid. The first log's is read.
type DuplicateError struct {
	Zxid int64
	Read string // the name of the first log
	Last bool   // the last one reported for this log, though more may differ
}

func (e *DuplicateError) Error() string {
	text := fmt.Sprintf("TWO FILES DIFFER at %#x: this one has another transaction than %s, which is read here", e.Zxid,
		e.Read)
	if e.Last {
		text += "; where else they differ isn't told"
	}
	return text
}

// BackError reports that the zxids within a log go back. Transactions are skipped until they exceed the old maximum.
type BackError struct {
	After, Zxid int64 // the transaction before, and the first one skipped
}

func (e *BackError) Error() string {
	return fmt.Sprintf("the zxids go back from %#x to %#x in this file: what comes then is left out up to %#x", e.After,
		e.Zxid, e.After)
}

// Odd reports whether an error means that something else may have happened than what is read: a duplicate zxid, or
// zxids that go back.
func Odd(err error) bool {
	var twice *DuplicateError
	var back *BackError
	var differ *DifferError
	return errors.As(err, &twice) || errors.As(err, &back) || errors.As(err, &differ)
}

// maxDuplicates is how many differing transactions of a log are reported.
const maxDuplicates = 10

// rereader reads earlier logs again, to compare them with a later log that overlaps them.
type rereader struct {
	log   int // index of the log that it reads
	in    *txnlog.File
	txn   wire.Txn
	told  int
	a, b  []byte
	ended bool
}

func (w *rereader) close() {
	if w != nil && w.in != nil {
		_ = w.in.Close()
	}
}

// goesBack reports whether txn's zxid is no greater than an earlier one in the same log. It reports trouble where
// that begins.
func (s *stream) goesBack(trouble func(Trouble)) bool {
	if s.txn.Zxid > s.least {
		s.least, s.back = s.txn.Zxid, false
		return false
	}
	if !s.back {
		s.back = true
		trouble(Trouble{s.of.Logs[s.at.Log].Path, &BackError{s.least, s.txn.Zxid}, s.server})
	}
	return true
}

// again reports trouble if txn differs from an earlier log's transaction with the same zxid.
func (s *stream) again(trouble func(Trouble)) error {
	if s.at == s.had || s.rereader != nil && s.rereader.told >= maxDuplicates {
		return nil // the last transaction read before the log grew
	}
	if s.rereader == nil {
		s.rereader = &rereader{log: -1}
		for i, log := range s.of.Logs[:s.at.Log] {
			if log.Zxid <= s.txn.Zxid {
				s.rereader.log = i
			}
		}
		s.rereader.ended = s.rereader.log < 0
	}
	w := s.rereader
	for !w.ended && w.txn.Zxid < s.txn.Zxid {
		if err := w.next(s.of.Logs[:s.at.Log]); err != nil {
			return err
		}
	}
	if w.ended || w.txn.Zxid != s.txn.Zxid {
		return nil
	}
	if w.a, w.b = w.txn.Append(w.a[:0]), s.txn.Append(w.b[:0]); bytes.Equal(w.a, w.b) {
		return nil
	}
	w.told++
	trouble(Trouble{s.of.Logs[s.at.Log].Path, &DuplicateError{s.txn.Zxid, filepath.Base(s.of.Logs[w.log].Path),
		w.told == maxDuplicates}, s.server})
	return nil
}

// next reads the next readable transaction.
func (w *rereader) next(logs []File) (err error) {
	if w.in == nil {
		if w.in, err = txnlog.OpenFile(logs[w.log].Path, 0); err != nil {
			return fmt.Errorf("%s: %w", logs[w.log].Path, err)
		}
	}
	err = w.in.Next(&w.txn)
	var torn *txnlog.TornError
	if err == nil || errors.As(err, &torn) && torn.Until > 0 {
		return nil
	}
	w.close()
	w.in = nil
	w.log++
	w.ended = w.log == len(logs)
	return nil
}
