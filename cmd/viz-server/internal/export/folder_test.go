package export_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/export"
)

// contents returns the names of all files below a folder.
func contents(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, err = filepath.Rel(folder, name)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestFolder checks that an export replaces an earlier one as a whole, and touches nothing that no export has written.
func TestFolder(t *testing.T) {
	top := t.TempDir()
	site := filepath.Join(top, "deep", "er", "site")
	if err := writeTiny(t.Context(), site); err != nil {
		t.Fatal(err)
	}
	first := contents(t, top)
	if err := os.WriteFile(filepath.Join(site, "index.html"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writeTiny(t.Context(), site); err != nil {
		t.Fatal(err)
	}
	if again := contents(t, top); !slices.Equal(again, first) || read(t, site, "index.html") == "old" {
		t.Errorf("there were %v, and then %v", first, again)
	}

	mine := filepath.Join(site, "part", "CNAME")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(top, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(top, "home")
	if err := os.MkdirAll(filepath.Join(home, "letters"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := contents(t, top)
	for at, want := range map[string]string{
		site: "no export has written " + mine,
		file: "is a file: name a folder",
		home: "isn't empty, and no export has written it",
	} {
		if err := writeTiny(t.Context(), at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if after := contents(t, top); !slices.Equal(after, before) {
		t.Errorf("there were %v, and then %v", before, after)
	}
	if err := writeTiny(t.Context(), filepath.Join(home, "letters")); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestInterrupted checks that nothing stays of an export that is interrupted, and that the one before does.
func TestInterrupted(t *testing.T) {
	top := t.TempDir()
	for _, had := range []bool{false, true} {
		before := contents(t, top)
		ctx, cancel := context.WithCancel(t.Context())
		pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/part/one" {
				cancel()
			}
			tiny(w, r)
		})
		_, err := export.Write(ctx, export.Config{Dir: filepath.Join(top, "site"), Pages: pages})
		after := contents(t, top)
		if !errors.Is(err, context.Canceled) || !slices.Equal(after, before) || had != (len(after) > 0) {
			t.Errorf("interrupted: %v; there were %v, and then %v", err, before, after)
		}
		if err := writeTiny(t.Context(), filepath.Join(top, "site")); err != nil {
			t.Fatal(err)
		}
	}
}
