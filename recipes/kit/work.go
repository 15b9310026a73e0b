package kit

import (
	"fmt"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What work leaves behind, outside of ZooKeeper: there one sees what a broken promise comes to. What is written while
// somebody works belongs to the work, and makes it no longer.

// The stores that recipes write to. None of them knows fencing numbers, so each takes whatever comes.
const (
	printer  = "printer"
	orders   = "orders"
	invoices = "invoices"
)

// Paper describes the printer of Print.
func Paper() []event.StoreDrawing {
	return []event.StoreDrawing{{Name: printer, Form: event.StoreSheet}}
}

// Orders describes the book of Order and Handle.
func Orders() []event.StoreDrawing {
	return []event.StoreDrawing{{Name: orders, Form: event.StoreTasks}}
}

// Invoices describes where invoices go, each with a number of its own.
func Invoices() []event.StoreDrawing {
	return []event.StoreDrawing{{Name: invoices, Form: event.StoreNumbers}}
}

const pages = 3 // of a job

// Print is the work of a client that has a lock: a job of some pages, printed one by one.
func Print(c zoo.Client, hold time.Duration) error {
	if hold == zoo.UntilSettled {
		return WriteAndWork(c, printer, "a page", hold)
	}
	begun := c.Now()
	for page := range time.Duration(pages) {
		if err := c.Write(printer, fmt.Sprintf("page %d of %d", page+1, pages), 0); err != nil {
			return err
		}
		if err := workUntil(c, begun+hold*(page+1)/pages); err != nil {
			return err
		}
	}
	return nil
}

// Order writes down that there is a task, so that it is known if nobody ever does it.
func Order(c zoo.Client, task string) error { return c.Write(orders, task+" "+event.TaskOpen, 0) }

// Handle is the work on a task: it is written down who has taken it, and towards the end that it is done.
func Handle(c zoo.Client, task string, hold time.Duration) error {
	begun := c.Now()
	if err := c.Write(orders, task+" "+event.TaskTaken, 0); err != nil {
		return err
	}
	took := c.Now() - begun
	if hold == zoo.UntilSettled {
		if err := c.Work(hold); err != nil {
			return err
		}
		return c.Write(orders, task+" "+event.TaskDone, 0)
	}
	if err := workUntil(c, begun+hold-2*took); err != nil {
		return err
	}
	if err := c.Write(orders, task+" "+event.TaskDone, 0); err != nil {
		return err
	}
	return workUntil(c, begun+hold)
}

// Invoice is the work on an invoice with that number, which no other may have.
func Invoice(c zoo.Client, number int64, hold time.Duration) error {
	return WriteAndWork(c, invoices, strconv.FormatInt(number, 10), hold)
}

// WriteAndWork writes to a store at the beginning of the work.
func WriteAndWork(c zoo.Client, store, text string, hold time.Duration) error {
	begun := c.Now()
	if err := c.Write(store, text, 0); err != nil {
		return err
	}
	if hold == zoo.UntilSettled {
		return c.Work(hold)
	}
	return workUntil(c, begun+hold)
}

// workUntil works until that time by the clock of c, which may be over.
func workUntil(c zoo.Client, end time.Duration) error { return c.Work(max(0, end-c.Now())) }
