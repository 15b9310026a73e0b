package web

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/classes"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/cluster"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/lab"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/lessons"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/tapped"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/zoo"
	"github.com/zkviz/zkviz/engine/run/recordings"
	"github.com/zkviz/zkviz/engine/run/room"
)

// Named is a ZooKeeper that readers choose by name.
type Named = cluster.Named

// pages are the parts of the site.
type pages struct {
	lessons *lessons.Pages
	lab     *lab.Pages
	cluster *cluster.Pages
	zoo     *zoo.Pages
	tapped  *tapped.Pages
	classes *classes.Pages
}

// tapFirst reports whether the first page is the tap's.
func (c Config) tapFirst() bool { return c.Tap != nil && len(c.ZK) == 0 }

// newSite returns what all pages share.
func newSite(cfg Config, files body.Assets) (*site.Site, error) {
	return site.New(site.Config{
		Frame: page.Frame{
			Base: cfg.Base, ReadOnly: cfg.ReadOnly, NoStage: !files.HasStage(), HasPast: cfg.Past != nil,
			HasTap: cfg.Tap != nil, TapFirst: cfg.tapFirst(),
			Records: cfg.Record != nil || cfg.Bus != nil, Among: cfg.Owners != nil,
			File: files.Name, Embed: strings.Join(cfg.Embed, " "),
		},
		Exported: cfg.Exported, On: cfg.named(), Pseudo: cfg.Pseudo, Log: cfg.Log,
	})
}

// addWords adds the words of each language to the files.
func addWords(files body.Assets, on *site.Site) error {
	for _, lang := range on.Languages() {
		text, err := json.Marshal(on.Words(lang))
		if err != nil {
			return fmt.Errorf("write the words of %s: %w", lang, err)
		}
		files.Add(lang.WordsFile(), "application/json", text)
	}
	return nil
}

// newPages makes the parts, each with what it needs. Stop ends when the server stops.
func newPages(stop context.Context, cfg Config, on *site.Site, runs *room.Runs, shelf *recordings.Shelf) (p pages) {
	inside, through := zoo.Config{Site: on}, tapped.Config{Site: on, Home: cfg.tapFirst()}
	clusters := cluster.Config{
		Site: on, On: cfg.named(), Named: cfg.Named, Typed: typed(cfg, runs.Named()), Past: cfg.Past,
		Records: shelf, Through: cfg.Through, Webhook: cfg.Webhook, MetricsPaths: map[string][]string{}, Log: cfg.Log,
	}
	for _, p := range cfg.MetricsPaths {
		clusters.MetricsPaths[p.Cluster] = append(clusters.MetricsPaths[p.Cluster], p.Path)
	}
	if cfg.Zoo != nil {
		inside.Address = cfg.Zoo.ConnectString()
		system := cfg.Zoo.System()
		inside.Servers = system.Servers + system.Observers
	}
	if cfg.Tap != nil {
		inside.Address, inside.Tapped = cfg.Tap.Place(), true
		through.Tap, through.Servers = cfg.Tap, strings.Join(cfg.Tap.System().Addresses, ", ")
		clusters.Tapped = true
	}
	if cfg.Redis != nil {
		inside.Redis = cfg.Redis.Place()
	}
	if cfg.Owners != nil {
		inside.NATS = cfg.Owners.Place()
	}
	p.zoo, p.cluster, p.tapped = zoo.New(inside), cluster.New(clusters), tapped.New(through)
	class := classes.Config{Site: on, Addr: cfg.Addr, Stop: stop, Shared: cfg.Classes}
	if cfg.phones != nil {
		class.Crowds = cfg.phones
	}
	p.classes = classes.New(class)
	p.lessons = lessons.New(lessons.Config{Site: on, Book: cfg.Book, Zoo: p.zoo, Only: cfg.Lessons})
	p.lab = lab.New(lab.Config{
		Site: on, Course: p.lessons, On: cfg.named(), Live: runs.Cluster(), AtOnce: cfg.atOnce, Explore: runs.Explore,
		Stop: stop,
	})
	return p
}

// routes returns the handlers of all parts by their addresses.
func (p pages) routes() map[string]http.HandlerFunc {
	all := p.lessons.Routes()
	all["/lessons"] = all["/{$}"] // where something else may be the first page
	for _, routes := range []map[string]http.HandlerFunc{p.lab.Routes(), p.cluster.Routes(), p.zoo.Routes(),
		p.tapped.Routes(), p.classes.Routes()} {
		maps.Copy(all, routes)
	}
	return all
}
