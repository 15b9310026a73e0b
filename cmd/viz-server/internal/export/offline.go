package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/zkviz/zkviz/static"
)

// workerAt is the address of static/offline.js. There, above all pages, it may answer for all of them.
const workerAt = "/offline.js"

const script = "text/javascript; charset=utf-8"

// keptFile is a file that the worker may keep: its name, a hash, and its size in bytes.
type keptFile [3]any

// keep adds a file to the list. Pictures for links and the page for what is missing are of no use without a network.
func (x *exporter) keep(name string, plain []byte) {
	if path.Ext(name) != ".png" && path.Base(name) != "404.html" {
		x.kept = append(x.kept, keptFile{name, hashOf(plain), len(plain)})
	}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// forOffline returns the worker, and the list of all files written so far. If any has changed, the list's name has, and
// so the worker: that is how browsers notice.
func (x *exporter) forOffline() ([]*answer, error) {
	list, err := json.Marshal(x.kept)
	if err != nil {
		return nil, err
	}
	worker, err := static.Files.ReadFile(strings.TrimPrefix(workerAt, "/"))
	if err != nil {
		return nil, err
	}
	const plain = `"offline.json"`
	name := "offline." + hashOf(list) + ".json"
	text := strings.Replace(string(worker), plain, `"`+name+`"`, 1)
	if text == string(worker) {
		return nil, fmt.Errorf("%s doesn't name its list %s", workerAt, plain)
	}
	return []*answer{made(workerAt, script, text), made("/"+name, "application/json", string(list))}, nil
}
