package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// folderFlags sets where observations are recorded.
type folderFlags struct {
	Record    string `placeholder:"DIR" help:"Save what zkviz observes as trace files in this folder. The page lists them."`
	RecordMax string `name:"record-max" default:"1GB" placeholder:"SIZE" help:"How much disk space --record may use, in MB, GB or TB (default: ${default}). Beyond that, zkviz deletes the oldest recordings."`
}

// folder opens the folder. It calls tell with the reason when recording fails, and with nil when it works again.
func (f folderFlags) folder(report func(why error)) (*record.Folder, error) {
	most, err := parseSize(f.RecordMax)
	if err != nil {
		return nil, fmt.Errorf("--record-max: %w", err)
	}
	folder, err := record.Open(record.Config{Dir: f.Record, Max: most, Tell: report})
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	return folder, nil
}

// recordFlags sets what is recorded of a cluster, and where.
type recordFlags struct {
	folderFlags
	RecordPath []string `name:"record-path" placeholder:"PATH" help:"Record this znode and those below it, even while nobody looks at it on the Live page. For a cluster in --clusters, write NAME:PATH. Separate several by commas."`
}

// maxRecordPaths is the maximum number of permanently recorded paths: each is a separate observation.
const maxRecordPaths = 20

// recording opens the folder and sets the permanently recorded paths, if anything is to be recorded. The caller calls
// end once all observations are over.
func (f recordFlags) recording(cfg *web.Config) (end func(), err error) {
	switch {
	case f.Record == "" && len(f.RecordPath) > 0:
		return nil, errors.New("--record-path: name a folder for the recordings with --record")
	case f.Record == "":
		return func() {}, nil
	case len(cfg.ZK)+len(cfg.Named) == 0:
		return nil, errors.New("--record: name a ZooKeeper to observe, with --zk or --clusters")
	}
	log := cfg.Log
	if cfg.RecordPaths, err = clusterPaths(f.RecordPath, cfg, maxRecordPaths); err != nil {
		return nil, fmt.Errorf("--record-path: %w", err)
	}
	cfg.Record, err = f.folder(func(why error) {
		if why == nil {
			log.Info("recording continues")
			return
		}
		log.Warn("can't record; trying again", "why", why)
	})
	if err != nil {
		return nil, err
	}
	return func() {
		if err := cfg.Record.Close(); err != nil {
			log.Warn("the recordings are incomplete", "error", err)
		}
	}, nil
}

// clusterPaths parses paths of the configured clusters, at most so many. For a named cluster, a text is NAME:PATH.
func clusterPaths(texts []string, cfg *web.Config, most int) (all []web.ClusterPath, err error) {
	if len(texts) > most {
		return nil, fmt.Errorf("%d paths; the most is %d", len(texts), most)
	}
	names := map[string]bool{"": len(cfg.ZK) > 0}
	for _, n := range cfg.Named {
		names[n.Name] = true
	}
	seen := map[web.ClusterPath]bool{}
	for _, text := range texts {
		p := web.ClusterPath{Path: text}
		if name, path, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(text, "/") {
			p = web.ClusterPath{Cluster: name, Path: path}
		}
		switch err := protocol.ValidatePath(p.Path); {
		case err != nil:
			return nil, errors.New(voice().Error(err))
		case !names[p.Cluster] && p.Cluster == "":
			return nil, fmt.Errorf("%q belongs to --zk, which names no ZooKeeper; for one of --clusters, write NAME:%s", text,
				p.Path)
		case !names[p.Cluster]:
			return nil, fmt.Errorf("no cluster in --clusters is called %q", p.Cluster)
		}
		if !seen[p] {
			seen[p], all = true, append(all, p)
		}
	}
	return all, nil
}

// parseSize parses a size like 500MB.
func parseSize(text string) (int64, error) {
	units := []struct {
		name  string
		bytes int64
	}{{"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}
	for _, u := range units {
		number, ok := strings.CutSuffix(strings.ToUpper(strings.TrimSpace(text)), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		switch {
		case err != nil || n < 1 || n > 1e6:
			return 0, fmt.Errorf("%q is not a size like 500MB or 2GB", text)
		case n*u.bytes < record.MinBytes:
			return 0, fmt.Errorf("%s is too little; the least is 68MB", text)
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("%q is not a size like 500MB or 2GB", text)
}
