package kit

import (
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
)

// Shop demonstrates ways to read a setting: a manager sets the price, and also posts it where customers see it, who
// know nothing of ZooKeeper. They go to the sellers, who look the price up for each of them.
type Shop struct {
	Path string // of the znode with the price
	// Look reads the price, as fresh as this way of reading makes it.
	Look func(c zoo.Client, path string) ([]byte, zoo.Stat, error)
}

// The roles of a shop.
const (
	Manager = "manager"
	Seller  = "seller"
)

// ShopRole is the Role function of a recipe that opens a shop.
func ShopRole(index, _ int) string {
	if index == 1 {
		return Manager
	}
	return Seller
}

const (
	// customers is the interval at which customers come to a seller.
	customers = 250 * time.Millisecond
	// priceStays is how long a price lasts by default: a little longer than servers wait for a leader that has fallen
	// silent, so that changing the price does not need the old leader.
	priceStays = 11 * time.Second
	// hours is how long a seller stays open without a new price.
	hours = 30 * time.Second
)

// Open runs the client's role in the shop.
func (s Shop) Open(c zoo.Client, p recipe.Params) error {
	if ShopRole(p.Index, p.Clients) == Manager {
		return s.manage(c, p)
	}
	return s.sell(c, Price(p.Rounds))
}

// Price returns the price after n changes.
func Price(n int) string { return fmt.Sprintf("price %d", 10*(n+1)) }

// manage sets a first price and changes it as often as told.
func (s Shop) manage(c zoo.Client, p recipe.Params) error {
	stays := p.Hold
	if stays == program.UntilSettled { // sellers are busy for as long as they are open
		stays = priceStays
	}
	for n := range p.Rounds + 1 {
		if n > 0 {
			if err := c.Work(stays); err != nil {
				return err
			}
		}
		if err := s.set(c, n); err != nil {
			return err
		}
	}
	return nil
}

// set sets the price after n changes. Nobody else does: if the version has moved on, only the reply was lost.
func (s Shop) set(c zoo.Client, n int) error {
	err := Insist(func() error {
		_, err := c.Set(s.Path, []byte(Price(n)), int32(n))
		return err
	})
	if err != nil && !errors.Is(err, zoo.ErrBadVersion) {
		return err
	}
	c.Phase(program.Published, program.Subject{Path: s.Path, Fence: int64(n + 1)})
	return Sell(c, Price(n))
}

// sell looks the price up for each customer and sells at it, until it has seen the last price.
func (s Shop) sell(c zoo.Client, last string) error {
	at := ""
	for news := c.Now(); c.Now() < news+hours; {
		text, stat, err := s.Look(c, s.Path)
		if err != nil {
			return err
		}
		c.Phase(program.Saw, program.Subject{Path: s.Path, Fence: int64(stat.Version)})
		if string(text) != at {
			at, news = string(text), c.Now()
			if err := Sell(c, at); err != nil {
				return err
			}
		}
		if at == last {
			return nil
		}
		if err := c.Work(customers); err != nil {
			return err
		}
	}
	c.Phase(program.GaveUp, program.Subject{Path: s.Path})
	return nil
}
