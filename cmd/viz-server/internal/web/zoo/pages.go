// Package zoo serves the pages about the systems inside this program: the Zoo, where a reader's own clients queue up,
// and the Redis. It says how to join, in lines to paste.
//
// What happens there is shown by rooms, on a websocket of package web, which serves these pages.
package zoo

import (
	"net/http"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
)

// Config configures the pages. Without addresses they say how to start the systems.
type Config struct {
	Site    *site.Site
	Address string // of the ZooKeeper for the reader's own clients, empty if there is none
	Servers int    // the number of its servers
	Tapped  bool   // it is a tap of the operator's ensemble
	Redis   string // address of the Redis inside, empty if there is none
	NATS    string // what servers share, empty if there is one alone
}

// Pages answers with the pages about the systems inside.
type Pages struct{ cfg Config }

// New returns the pages.
func New(cfg Config) *Pages { return &Pages{cfg} }

// Routes returns the handlers by their addresses.
func (s *Pages) Routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{"/zoo": s.showZoo, "/zoo/redis": s.showRedis, "/zoo/servers": s.showServers}
}

// showServers answers /zoo/servers.
func (s *Pages) showServers(w http.ResponseWriter, r *http.Request) {
	p := page.OwnServersProps{Frame: s.cfg.Site.Frame(r, "zoo"), Place: s.cfg.NATS}
	s.cfg.Site.Render(w, r, http.StatusOK, page.OwnServers(p))
}
