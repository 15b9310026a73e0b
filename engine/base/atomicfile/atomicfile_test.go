package atomicfile_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/base/atomicfile"
)

// saverPath names the variable that turns this program into a save that never ends: see TestMain.
const saverPath = "ATOMICFILE_SAVER_PATH"

// TestMain is also the program that the tests kill. It saves half a file, reports that and waits.
func TestMain(m *testing.M) {
	path := os.Getenv(saverPath)
	if path == "" {
		os.Exit(m.Run())
	}
	f, err := atomicfile.Create(path, 0o666)
	if err == nil {
		_, err = f.Write([]byte("half a file"))
	}
	if err != nil {
		os.Stdout.WriteString(err.Error())
		os.Exit(1)
	}
	os.Stdout.WriteString("written")
	_, _ = os.Stdin.Read(make([]byte, 1))
	f.Discard()
}

// startSaver starts a process that is halfway through saving path. The function end kills it, or lets it give up.
func startSaver(t *testing.T, path string) (end func(kill bool)) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), saverPath+"="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no process can be started here: %v", err)
	}
	end = func(kill bool) {
		if kill {
			_ = cmd.Process.Kill()
		}
		_ = stdin.Close()
		_ = cmd.Wait() // it may have ended already
	}
	said := make([]byte, len("written"))
	if _, err := io.ReadFull(stdout, said); err != nil || string(said) != "written" {
		end(true)
		t.Fatalf("the save says %q, %v", said, err)
	}
	return end
}

func save(t *testing.T, path, text string) {
	t.Helper()
	f, err := atomicfile.Create(path, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
}

// names returns the names of the files in the folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func wantOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
	}
}

func TestCommitReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace")
	save(t, path, "old")
	f, err := atomicfile.Create(path, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	wantText(t, path, "old")
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	wantText(t, path, "new")
	wantOnly(t, dir, "trace")
	if now, err := os.Stat(path); err != nil || !os.SameFile(info, now) || now.ModTime() != info.ModTime() {
		t.Errorf("Stat describes another file than the one that was kept: %v", err)
	}
}

func TestDiscardLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace")
	save(t, path, "old")
	f, err := atomicfile.Create(path, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	f.Discard()
	wantText(t, path, "old")
	wantOnly(t, dir, "trace")
}

// TestKilledSave kills a process during a save. The next save removes its leftover, and nothing else.
func TestKilledSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace")
	save(t, path, "old")
	startSaver(t, path)(true)
	if left := names(t, dir); len(left) != 2 || left[1] != "trace" {
		t.Fatalf("the killed save should leave a temporary file beside the old one, not %q", left)
	}
	wantText(t, path, "old")
	foreign := []string{".trace.1", ".zkviz-01.tmp", ".zkviz-1.tmp2", ".zkviz-x.tmp"}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	save(t, path, "new")
	wantText(t, path, "new")
	wantOnly(t, dir, append(foreign, "trace")...)
}

// TestLivingSaveIsLeftAlone checks that a running save ends well, however many others run at the same time.
func TestLivingSaveIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace")
	end := startSaver(t, path)
	defer end(true)
	before := names(t, dir)
	save(t, path, "other")
	wantOnly(t, dir, append(before, "trace")...)
	end(false)
	wantOnly(t, dir, "trace")
}

// TestManySaves runs concurrent saves of one file. Each succeeds, and every read is whole.
func TestManySaves(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace")
	var group sync.WaitGroup
	for i := range 8 {
		text := strings.Repeat(string(rune('a'+i)), 10_000)
		group.Go(func() {
			for range 10 {
				f, err := atomicfile.Create(path, 0o666)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err = f.Write([]byte(text)); err == nil {
					err = f.Commit()
				}
				if err != nil {
					t.Error(err)
				}
				got, err := os.ReadFile(path)
				if err != nil || len(got) != len(text) || len(bytes.Trim(got, string(got[:1]))) != 0 {
					t.Errorf("read %d bytes, %v", len(got), err)
				}
			}
		})
	}
	group.Wait()
	wantOnly(t, dir, "trace")
}

func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "fresh")
	save(t, fresh, "")
	if mode(fresh) != mode(plain) {
		t.Errorf("a new file has %v, where others get %v", mode(fresh), mode(plain))
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	save(t, secret, "")
	if mode(secret) != 0o600 {
		t.Errorf("a secret file has %v after it was replaced", mode(secret))
	}
	open := filepath.Join(dir, "open")
	save(t, open, "")
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	if save(t, open, ""); mode(open) != 0o666 {
		t.Errorf("a file that all may write has %v after it was replaced", mode(open))
	}
}

func TestLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "elsewhere"), 0o777); err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(dir, "elsewhere", "trace"), filepath.Join(dir, "link")
	save(t, real, "old")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	save(t, link, "new")
	wantText(t, real, "new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                                "write " + dir + ": it is a folder",
		filepath.Join(dir, "none", "t"):    "write " + filepath.Join(dir, "none", "t") + ": no such file or directory",
		filepath.Join(dir, "\x00"):         "write " + filepath.Join(dir, "\x00") + ": invalid argument",
		filepath.Join(dir, "a\nb", "...."): "no such file",
	} {
		f, err := atomicfile.Create(path, 0o666)
		if err == nil {
			f.Discard()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	wantOnly(t, dir)
}

// TestDevice checks that anything but a regular file is written directly.
func TestDevice(t *testing.T) {
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Skip("there is no /dev/null")
	}
	save(t, "/dev/null", "text")
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Error("/dev/null has become a file")
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := atomicfile.Save(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		wantText(t, path, text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	wantOnly(t, dir, "data")
	if err := atomicfile.Save(filepath.Join(dir, "none", "data"), nil, 0o600); err == nil {
		t.Error("saved where there is no folder")
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	if err := atomicfile.Save("/dev/full", []byte("text"), 0o600); err == nil ||
		err.Error() != "write /dev/full: no space left on device" {
		t.Errorf("on a device that is full: %v", err)
	}
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range open {
		if file, err := os.Readlink(name); err == nil && file == "/dev/full" {
			t.Error("the device is still open")
		}
	}
}

// TestCommitFails creates a folder under the file's name during a save. The folder stays, and nothing else does.
func TestCommitFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data")
	f, err := atomicfile.Create(path, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") ||
		strings.Contains(err.Error(), ".tmp") {
		t.Errorf("over a folder: %v", err)
	}
	wantOnly(t, dir, "data")
	if _, err := f.Write([]byte("late")); err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("after it failed: %v", err)
	}
}

// TestForeignNames checks that only files that a save could have left are removed.
func TestForeignNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".zkviz-0.tmp", ".zkviz-7.tmp", ".zkviz-18446744073709551615.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stay := []string{".zkviz-+1.tmp", ".zkviz-.tmp", ".zkviz-007.tmp", ".zkviz-18446744073709551616.tmp", ".zkviz-5",
		"a.zkviz-5.tmp"}
	for _, name := range stay {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".zkviz-8.tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "data"), "text")
	want := append(stay, ".zkviz-8.tmp", "data")
	slices.Sort(want)
	wantOnly(t, dir, want...)
}
