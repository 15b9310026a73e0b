package export_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/export"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// listOf returns the name of the list that a site's worker names, and the list.
func listOf(t *testing.T, folder string) (name string, list [][3]any) {
	t.Helper()
	name = regexp.MustCompile(`offline\.[0-9a-f]+\.json`).FindString(read(t, folder, "offline.js"))
	if err := json.Unmarshal([]byte(read(t, folder, name)), &list); err != nil {
		t.Fatal(err)
	}
	return name, list
}

// checkOffline checks that the list has every file that is of use without a network, as it is, and that the files for
// one reader are fewer bytes than the worker fetches ahead.
func checkOffline(t *testing.T, folder string, names []string) {
	_, list := listOf(t, folder)
	listed, sum := map[string]bool{}, map[bool]int{} // by whether the reader's screen is small
	for _, file := range list {
		name, text := file[0].(string), read(t, folder, file[0].(string))
		hash := sha256.Sum256([]byte(text))
		if listed[name] || file[1] != hex.EncodeToString(hash[:8]) || file[2] != float64(len(text)) {
			t.Errorf("%v isn't as listed, or twice", file)
		}
		listed[name] = true
		of := regexp.MustCompile(`\.(light|dark)(-\w+)?\.svg$`).FindStringSubmatch(name)
		for _, small := range []bool{false, true} {
			isOther := of != nil && (of[1] == "dark" || small != (of[2] != ""))
			if !isOther && !strings.HasPrefix(name, uistrings.Pseudo+"/") {
				sum[small] += len(text)
			}
		}
	}
	for _, name := range names {
		alone := slices.Contains([]string{"404.html", "robots.txt", "sitemap.xml"}, path.Base(name)) ||
			path.Ext(name) == ".png" || strings.HasPrefix(name, "offline.")
		if listed[name] == alone {
			t.Errorf("%s is listed: %v", name, listed[name])
		}
	}
	limit := regexp.MustCompile(`most = (\S+);`).FindStringSubmatch(read(t, folder, "offline.js"))
	if most, err := strconv.ParseFloat(limit[1], 64); err != nil || float64(max(sum[false], sum[true])) > most {
		t.Errorf("a reader's files have %v bytes; the worker fetches %s ahead", sum, limit[1])
	}
}

// TestVersions checks that the same site has the same list, and that one with another byte has another.
func TestVersions(t *testing.T) {
	var names []string
	for _, more := range []string{"", "", " "} {
		pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tiny(w, r)
			if r.URL.Path == "/part/one" {
				io.WriteString(w, more)
			}
		})
		dir := filepath.Join(t.TempDir(), "site")
		if _, err := export.Write(t.Context(), export.Config{Dir: dir, Pages: pages}); err != nil {
			t.Fatal(err)
		}
		name, list := listOf(t, dir)
		if len(list) < 4 {
			t.Errorf("listed %v", list)
		}
		names = append(names, name)
	}
	if names[0] != names[1] || names[1] == names[2] {
		t.Errorf("the lists are %v", names)
	}
}
