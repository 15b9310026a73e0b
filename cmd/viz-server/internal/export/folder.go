package export

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// marker is a file in an exported folder. It lists all others, so that the next export deletes nothing else.
const marker = ".zkviz-site"

// folder is a folder that is written beside its final place, and gets there as a whole.
type folder struct {
	path string   // the final place
	temp string   // the place until then, or ""
	past []string // the names of the files of an earlier export at the final place
	list []string // the names of the files so far
}

// openFolder begins a folder. It refuses a place where there is anything but an earlier export.
func openFolder(at string) (*folder, error) {
	at, err := filepath.Abs(at)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	f := &folder{path: at}
	if f.past, err = exported(at); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return nil, err
	}
	temp := filepath.Join(filepath.Dir(at), ".zkviz-site-"+strconv.FormatUint(rand.Uint64(), 36))
	if err := os.Mkdir(temp, 0o777); err != nil {
		return nil, err
	}
	f.temp = temp
	return f, nil
}

// exported returns the names of all files of an earlier export, none for an empty or missing folder. Anything else is
// an error.
func exported(folder string) (names []string, err error) {
	found, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		if info, statErr := os.Stat(folder); statErr == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is a file: name a folder", folder)
		}
		return nil, err
	case len(found) == 0:
		return nil, nil
	}
	list, err := os.Open(filepath.Join(folder, marker))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s isn't empty, and no export has written it: name a new folder", folder)
	}
	if err != nil {
		return nil, err
	}
	defer list.Close()
	names = []string{marker}
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		if filepath.IsLocal(lines.Text()) {
			names = append(names, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return names, onlyThese(folder, names)
}

// onlyThese returns an error if a folder has a file that isn't among the names.
func onlyThese(folder string, names []string) error {
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err == nil && !known[filepath.ToSlash(name)] {
			err = fmt.Errorf("no export has written %s: move it elsewhere, or name a new folder", path)
		}
		return err
	})
}

// put writes a file. Its name has slashes.
func (f *folder) put(name string, text []byte) error {
	at := filepath.Join(f.temp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	f.list = append(f.list, name)
	return os.WriteFile(at, text, 0o666)
}

// commit puts the folder at its place, instead of an earlier export.
func (f *folder) commit() error {
	slices.Sort(f.list)
	if err := f.put(marker, []byte(strings.Join(f.list, "\n")+"\n")); err != nil {
		return err
	}
	old := f.temp + "-old"
	err := os.Rename(f.path, old)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(f.temp, f.path); err != nil {
		if there {
			err = errors.Join(err, os.Rename(old, f.path))
		}
		return err
	}
	f.temp = ""
	if there {
		return remove(old, f.past)
	}
	return nil
}

// remove removes the files with these names, and then the folders that are empty.
func remove(folder string, names []string) error {
	folders := map[string]bool{folder: true}
	for _, name := range names {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for at = filepath.Dir(at); at != folder; at = filepath.Dir(at) {
			folders[at] = true
		}
	}
	var deepest []string
	for at := range folders {
		deepest = append(deepest, at)
	}
	slices.SortFunc(deepest, func(a, b string) int { return len(b) - len(a) })
	for _, at := range deepest {
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// discard removes what is written, unless it is at its place.
func (f *folder) discard() {
	if f.temp != "" {
		_ = os.RemoveAll(f.temp) // nobody else writes there
	}
}
