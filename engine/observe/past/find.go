package past

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// versionFolder is the name of the folder with a server's files.
const versionFolder = "version-2"

// ErrNoLog reports that no transaction log was found.
var ErrNoLog = errors.New(
	"there's no transaction log: name files like log.100000001, or the folder version-2 that they're in")

// Find inspects files and folders: a version-2, or the folder around it. Files with the name of a log or a snapshot
// that can't be read are listed as Lacking. Find returns ErrNoLog if no log has a transaction. It fails for a named
// file that is neither log nor snapshot.
func Find(paths ...string) (Files, error) {
	var f finding
	for _, path := range paths {
		if err := f.look(path); err != nil {
			return Files{}, err
		}
	}
	f.paths = paths
	return f.found()
}

// Again repeats a Find: servers write on, begin new logs, and delete old ones. It returns ErrNoLog if no log is left.
func (f Files) Again() (Files, error) {
	next := finding{Files: Files{Passed: f.Passed, paths: f.paths}, known: map[string]int64{}}
	for _, log := range f.Logs {
		if f.whole[log.Path] {
			next.known[log.Path] = log.Zxid
		}
	}
	for _, path := range f.paths {
		if err := next.look(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return Files{}, err
		}
	}
	return next.found()
}

// found sorts the files that were found.
func (f *finding) found() (Files, error) {
	f.unpacked()
	byZxid := func(a, b File) int { return cmp.Or(cmp.Compare(a.Zxid, b.Zxid), cmp.Compare(a.Path, b.Path)) }
	slices.SortFunc(f.Logs, byZxid)
	slices.SortFunc(f.Snapshots, byZxid)
	f.lackLogs()
	if len(f.whole) == 0 {
		return Files{}, f.nothing()
	}
	return f.Files, nil
}

var errOnlySnapshots = errors.New("there are snapshots here, but no transaction log")

// lackLogs reports folders that have only snapshots. It accepts a server whose logs are in a folder of their own,
// without snapshots: then there is one folder of each.
func (f *finding) lackLogs() {
	var logs, snapshots []string
	for _, log := range f.Logs {
		logs = append(logs, filepath.Dir(log.Path))
	}
	for _, snapshot := range f.Snapshots {
		snapshots = append(snapshots, filepath.Dir(snapshot.Path))
	}
	slices.Sort(logs)
	logs = slices.Compact(logs)
	slices.Sort(snapshots)
	snapshots = slices.Compact(snapshots)
	if len(logs) == 1 && len(snapshots) == 1 {
		return
	}
	for _, dir := range snapshots {
		if !slices.Contains(logs, dir) {
			f.lack(dir, errOnlySnapshots)
		}
	}
}

// finding holds what has been found so far.
type finding struct {
	Files
	known map[string]int64 // the zxids of logs found before
}

func (f *finding) look(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return f.add(path, false)
	}
	if inner := filepath.Join(path, versionFolder); isDir(inner) {
		path = inner
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), "log.") || strings.HasPrefix(e.Name(), "snapshot.") { // unlike acceptedEpoch
			if err := f.add(filepath.Join(path, e.Name()), true); err != nil {
				return err
			}
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// nothing returns the error for files without a transaction.
func (f *finding) nothing() error {
	var why []string
	for _, t := range f.Lacking {
		why = append(why, fmt.Sprintf("%s: %v", t.Path, t.Err))
	}
	for _, log := range f.Logs { // it has none
		var t wire.Txn
		why = append(why, fmt.Sprintf("%s: %v", log.Path, firstOf(log.Path, &t)))
	}
	if why == nil {
		return ErrNoLog
	}
	return fmt.Errorf("%w (%s)", ErrNoLog, strings.Join(why, "; "))
}

// add classifies a file that was named, or was among others. It leaves out a log without a transaction, which a
// server leaves that stopped at once.
func (f *finding) add(path string, among bool) error {
	name := filepath.Base(path)
	zxid, isLog := txnlog.LogZxid(name)
	if !isLog && isDir(path) {
		f.lack(path, errFolder)
		return nil
	}
	if at, named := txnlog.SnapshotZxid(name); named {
		f.Snapshots = append(f.Snapshots, File{path, at})
		return nil
	}
	var t wire.Txn
	var err error
	if zxid, known := f.known[path]; known {
		t.Zxid = zxid
	} else {
		err = firstOf(path, &t)
	}
	var torn *txnlog.TornError
	switch {
	case err == nil:
		f.Logs = append(f.Logs, File{path, t.Zxid})
		if f.whole == nil {
			f.whole = map[string]bool{}
		}
		f.whole[path] = true
	case err == io.EOF:
	case isLog && errors.As(err, &torn): // the reader reports it in its place among the others
		f.Logs = append(f.Logs, File{path, zxid})
	case among || isLog || strings.HasPrefix(name, "snapshot."):
		f.lack(path, err)
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var errFolder = errors.New("it's a folder, and folders inside folders aren't searched")

func (f *finding) lack(path string, err error) {
	if errors.Is(err, txnlog.ErrNotLog) && strings.HasPrefix(filepath.Base(path), "snapshot.") {
		err = txnlog.ErrNotSnapshot
	}
	f.Lacking = append(f.Lacking, Trouble{path, err, -1})
}

// firstOf reads the first intact transaction of a log.
func firstOf(path string, t *wire.Txn) error {
	log, err := txnlog.OpenFile(path, 0)
	if err != nil {
		return err
	}
	defer log.Close()
	for {
		var torn *txnlog.TornError
		if err = log.Next(t); !errors.As(err, &torn) || torn.Until == 0 {
			return err
		}
	}
}

// unpacked drops gzipped logs whose original also exists.
func (f *finding) unpacked() {
	f.Logs = slices.DeleteFunc(f.Logs, func(log File) bool {
		plain, packed := strings.CutSuffix(log.Path, ".gz")
		return packed && f.whole[plain]
	})
}
