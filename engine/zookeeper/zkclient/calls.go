package zkclient

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Calls implements those calls of a zoo.Client that a server answers.
type Calls struct {
	Asker
	ACL []zoo.ACL // of created znodes
}

// Asker is the client that makes the calls.
type Asker interface {
	// Request returns an empty request.
	Request() *Request
	// Do sends a request and waits for its answer, registers the watch that it set, and returns its Err.
	Do(*Request) error
}

func (c *Calls) request(op event.Op, ask wire.Op, path string) *Request {
	r := c.Request()
	r.Op = op
	r.Ask.Op, r.Ask.Path = ask, path
	return r
}

// Create implements zoo.Client.
func (c *Calls) Create(path string, data []byte, mode zoo.CreateMode) (string, error) {
	r := c.request(event.Create, wire.OpCreate, path)
	putCreate(&r.Ask, data, mode, c.ACL)
	err := c.Do(r)
	return r.Path, err
}

// Delete implements zoo.Client.
func (c *Calls) Delete(path string, version int32) error {
	r := c.request(event.Delete, wire.OpDelete, path)
	r.Ask.Version = version
	return c.Do(r)
}

// Set implements zoo.Client.
func (c *Calls) Set(path string, data []byte, version int32) (zoo.Stat, error) {
	r := c.request(event.Set, wire.OpSetData, path)
	r.Ask.Data, r.Ask.Version = data, version
	err := c.Do(r)
	return r.Stat, err
}

// Sync implements zoo.Client.
func (c *Calls) Sync(path string) error { return c.Do(c.request(event.Sync, wire.OpSync, path)) }

// Multi implements zoo.Client.
func (c *Calls) Multi(ops ...zoo.Op) ([]zoo.OpResult, error) {
	first := "" // for the log
	if len(ops) > 0 {
		first = ops[0].Path
	}
	r := c.request(event.Multi, wire.OpMulti, first)
	r.Ask.Ops = parts(ops, c.ACL)
	err := c.Do(r)
	return r.Results, err
}

// Exists implements zoo.Client.
func (c *Calls) Exists(path string) (bool, zoo.Stat, error) {
	there, stat, _, err := c.exists(path, false)
	return there, stat, err
}

// ExistsW implements zoo.Client.
func (c *Calls) ExistsW(path string) (bool, zoo.Stat, zoo.Watch, error) { return c.exists(path, true) }

// exists treats a missing znode as an answer, not as an error.
func (c *Calls) exists(path string, watch bool) (there bool, _ zoo.Stat, _ zoo.Watch, _ error) {
	r, err := c.read(event.Exists, wire.OpExists, path, watch)
	if r.Code == zoo.ErrNoNode {
		err = nil
	}
	return r.Code == zoo.OK, r.Stat, r.Watch, err
}

// Get implements zoo.Client.
func (c *Calls) Get(path string) ([]byte, zoo.Stat, error) {
	r, err := c.read(event.Get, wire.OpGetData, path, false)
	return r.Data, r.Stat, err
}

// GetW implements zoo.Client.
func (c *Calls) GetW(path string) ([]byte, zoo.Stat, zoo.Watch, error) {
	r, err := c.read(event.Get, wire.OpGetData, path, true)
	return r.Data, r.Stat, r.Watch, err
}

// Children implements zoo.Client.
func (c *Calls) Children(path string) ([]string, zoo.Stat, error) {
	r, err := c.read(event.Children, wire.OpGetChildren2, path, false)
	return r.Children, r.Stat, err
}

// ChildrenW implements zoo.Client.
func (c *Calls) ChildrenW(path string) ([]string, zoo.Stat, zoo.Watch, error) {
	r, err := c.read(event.Children, wire.OpGetChildren2, path, true)
	return r.Children, r.Stat, r.Watch, err
}

func (c *Calls) read(op event.Op, ask wire.Op, path string, watch bool) (*Request, error) {
	r := c.request(op, ask, path)
	r.Ask.Watch = watch
	return r, c.Do(r)
}
