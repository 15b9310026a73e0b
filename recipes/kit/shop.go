package kit

import (
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Shop is what ways to read a setting are shown with: a manager sets the price, and puts it up where people see it who
// know nothing of ZooKeeper. They go to the sellers, who look the price up for each of them.
type Shop struct {
	Path string // of the znode with the price
	// Look reads the price as new as the way to read gives it.
	Look func(c zoo.Client, path string) ([]byte, zoo.Stat, error)
}

// The roles of a shop.
const (
	Manager = "manager"
	Seller  = "seller"
)

// ShopRole is the Role of a recipe that opens a shop.
func ShopRole(index, _ int) string {
	if index == 1 {
		return Manager
	}
	return Seller
}

const (
	// customers come to a seller this often.
	customers = 250 * time.Millisecond
	// priceStays if nobody says for how long: somewhat longer than servers wait for a leader that has fallen silent, so
	// that it does not take the one that they had to change the price.
	priceStays = 11 * time.Second
	// hours is how long a seller stays open with nothing new.
	hours = 30 * time.Second
)

// Open is the program of a client with its role in the shop.
func (s Shop) Open(c zoo.Client, p Params) error {
	if ShopRole(p.Index, p.Clients) == Manager {
		return s.manage(c, p)
	}
	return s.sell(c, price(p.Rounds))
}

// price is that after n changes.
func price(n int) string { return fmt.Sprintf("price %d", 10*(n+1)) }

// manage opens with a price, and changes it as often as told.
func (s Shop) manage(c zoo.Client, p Params) error {
	stays := p.Hold
	if stays == program.UntilSettled { // sellers have something to do for as long as they are open
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

// set sets the price after n changes. Nobody else sets any: if the version has moved on, only the answer was lost.
func (s Shop) set(c zoo.Client, n int) error {
	err := Insist(func() error {
		_, err := c.Set(s.Path, []byte(price(n)), int32(n))
		return err
	})
	if err != nil && !errors.Is(err, zoo.ErrBadVersion) {
		return err
	}
	c.Phase(program.Published, program.Subject{Path: s.Path, Fence: int64(n + 1)})
	return Sell(c, price(n))
}

// sell looks the price up for each customer, and sells at it, until it has seen the last.
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
