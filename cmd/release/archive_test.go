package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"reflect"
	"testing"
	"time"
)

// commit is a commit's time.
var commit = time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)

func some() []file {
	return []file{
		{"zkviz/viz-server", bytes.Repeat([]byte("program "), 1000), 0o755}, {"zkviz/LICENSE", []byte("a"), 0o644},
	}
}

// TestArchivesAreTheSame checks that archives hold the files with the commit's time, in the same bytes each time.
func TestArchivesAreTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		pack   func([]file, time.Time) ([]byte, error)
		unpack func(t *testing.T, archive []byte) []file
	}{"tar": {tarred, untar}, "zip": {zipped, unzip}} {
		first, err := c.pack(some(), commit)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.unpack(t, first); !reflect.DeepEqual(got, some()) {
			t.Errorf("%s: what comes out of the archive isn't what went in: %+v", name, got)
		}
		again, err := c.pack(some(), commit.In(time.FixedZone("elsewhere", 3600)))
		if name == "tar" && (err != nil || !bytes.Equal(first, again)) {
			t.Errorf("%s: another archive of the same files isn't the same, %v", name, err)
		}
		if again, err = c.pack(some(), commit); err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: another archive of the same files isn't the same, %v", name, err)
		}
	}
}

func untar(t *testing.T, archive []byte) (files []file) {
	packed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	if !packed.ModTime.IsZero() || packed.Name != "" {
		t.Errorf("the gzip header has %v and %q", packed.ModTime, packed.Name)
	}
	r := tar.NewReader(packed)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(commit) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s is of %v, and %d %q's", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		files = append(files, file{h.Name, text, h.FileInfo().Mode()})
	}
	if _, err := io.Copy(io.Discard, packed); err != nil {
		t.Error(err)
	}
	return files
}

func unzip(t *testing.T, archive []byte) (files []file) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Modified.Equal(commit) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
		files = append(files, file{f.Name, text, f.Mode()})
	}
	return files
}

// TestReleaseNeedsTheStage checks that nothing is released without the browser's program.
func TestReleaseNeedsTheStage(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := release("out", ""); err == nil {
		t.Error("it releases a program without the stage")
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("it left a folder")
	}
}
