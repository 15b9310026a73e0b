package kit

import (
	"fmt"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
)

// Work leaves results outside of ZooKeeper: they show the harm that a broken promise does. Writing them is part of the
// work and doesn't make it longer.

// The stores that recipes write to. They accept every write without a fencing number.
const (
	printer  = "printer"
	report   = "nightly report"
	accounts = "accounts"
	orders   = "orders"
	invoices = "invoices"
	shelf    = "shelf"
	document = "document"
	ledger   = "ledger"
	outbox   = "outbox"
	sales    = "sales"
	bills    = "bills"
	prices   = "prices"
)

// Printer describes the printer that Print uses, for one job at a time.
func Printer() []event.StoreDrawing { return store(printer, event.StoreSheet) }

// PrinterWithTrays describes a printer that prints n jobs at a time.
func PrinterWithTrays(n int) []event.StoreDrawing {
	return []event.StoreDrawing{{Name: printer, Form: event.StoreSheet, Trays: n}}
}

// NightlyReport describes the sheet that Report writes.
func NightlyReport() []event.StoreDrawing { return store(report, event.StoreSheet) }

// Accounts describes the accounts that Transfer makes entries in.
func Accounts() []event.StoreDrawing { return store(accounts, event.StoreLines) }

// Orders describes the book for Order and Handle.
func Orders() []event.StoreDrawing { return store(orders, event.StoreTasks) }

// Invoices describes the store of invoices, each with a number of its own.
func Invoices() []event.StoreDrawing { return store(invoices, event.StoreNumbers) }

// Bills describes the store of bills, each with the number of the service that sends it.
func Bills() []event.StoreDrawing { return store(bills, event.StoreNumbers) }

// Shelf describes the store for Sell's prices.
func Shelf() []event.StoreDrawing { return store(shelf, event.StoreValues) }

// Prices describes the store of the prices at which the tills of a shop sell.
func Prices() []event.StoreDrawing { return store(prices, event.StoreValues) }

// Document describes the document that Revise writes and Copy reads.
func Document() []event.StoreDrawing { return store(document, event.StoreDocument) }

// Ledger describes the book that Record writes to.
func Ledger() []event.StoreDrawing { return store(ledger, event.StoreLines) }

// Outbox describes the store of sent bills.
func Outbox() []event.StoreDrawing { return store(outbox, event.StoreTasks) }

// Sales describes the store of tickets that EachTicket's clients sell.
func Sales() []event.StoreDrawing { return store(sales, event.StoreTasks) }

func store(name string, form event.StoreForm) []event.StoreDrawing {
	return []event.StoreDrawing{{Name: name, Form: form}}
}

const (
	pages = 3 // of a job
	aPage = "a page"
)

// Print does the work of a lock's holder: a job of some pages, printed one by one.
func Print(c program.Process, hold time.Duration) error { return printOn(c, printer, 0, hold) }

// Report does the work of a leader, who should be the only one: the nightly report, written page by page.
func Report(c program.Process, hold time.Duration) error { return printOn(c, report, 0, hold) }

func printOn(c program.Process, store string, fence int64, hold time.Duration) error {
	if hold == program.UntilSettled {
		return writeAndWork(c, store, fence, hold, aPage)
	}
	var texts [pages]string
	for i := range texts {
		texts[i] = fmt.Sprintf("page %d of %d", i+1, pages)
	}
	return writeAndWork(c, store, fence, hold, texts[:]...)
}

// PrintNumbered does the work of a holder with a fencing number: the printer refuses its pages once a later holder has
// printed.
func PrintNumbered(c program.Process, fence int64, hold time.Duration) error {
	return printOn(c, printer, fence, hold)
}

// PrintPage prints a job of one page, and does no other work.
func PrintPage(c program.Process) error { return c.Write(printer, aPage, 0) }

// The two entries of a transfer. If the second is missing, the money is gone.
const (
	Withdrawn = "10 from savings"
	Deposited = "10 to rent"
)

// Transfer does the work on accounts: entries that belong together, made one by one.
func Transfer(c program.Process, hold time.Duration, entries ...string) error {
	return WriteAndWork(c, accounts, hold, entries...)
}

// Sell puts up the price at which a client sells from now on, unless it is empty.
func Sell(c program.Process, price string) error {
	if price == "" {
		return nil
	}
	return c.Write(shelf, price, 0)
}

// Charge puts up the price at which a till sells from now on.
func Charge(c program.Process, price int) error { return c.Write(prices, strconv.Itoa(price), 0) }

// ChargeFor does the work of a till: it sells at a price for a while.
func ChargeFor(c program.Process, price int, hold time.Duration) error {
	return WriteAndWork(c, prices, hold, strconv.Itoa(price))
}

// Order records a new task, so that it is known if nobody ever does it.
func Order(c program.Process, task string) error { return c.Write(orders, task+" "+event.TaskOpen, 0) }

// Handle does the work on a task: it records at the beginning who has taken it, and towards the end that it is done.
func Handle(c program.Process, task string, hold time.Duration) error {
	return writeAtBothEnds(c, orders, hold, task+" "+event.TaskTaken, task+" "+event.TaskDone)
}

// Revise does the work of a writer: a new version of the document. Its second half comes towards the end.
func Revise(c program.Process, hold time.Duration) error {
	return writeAtBothEnds(c, document, hold, event.FirstHalf, event.SecondHalf)
}

// Copy does the work of a reader: it copies the document and reads its copy.
func Copy(c program.Process, hold time.Duration) error {
	return WriteAndWork(c, document, hold, event.ACopy)
}

// Record does the work of a holder with a fencing number: one entry at the beginning and one at the end. The ledger
// refuses them once a later holder has written.
func Record(c program.Process, fence int64, hold time.Duration) error {
	if err := c.Write(ledger, c.Name()+" begins", fence); err != nil {
		return err
	}
	if err := c.Work(hold); err != nil {
		return err
	}
	return c.Write(ledger, c.Name()+" ends", fence)
}

// RecordOn does the work of a holder with a fencing number on the store of that name: Record's, or the printer.
func RecordOn(c program.Process, store string, fence int64, hold time.Duration) error {
	if store == printer {
		return PrintNumbered(c, fence, hold)
	}
	return Record(c, fence, hold)
}

// writeAtBothEnds writes to a store at the beginning of the work and towards its end.
func writeAtBothEnds(c program.Process, store string, hold time.Duration, first, last string) error {
	begun := c.Now()
	if err := c.Write(store, first, 0); err != nil {
		return err
	}
	took := c.Now() - begun
	if hold == program.UntilSettled {
		if err := c.Work(hold); err != nil {
			return err
		}
		return c.Write(store, last, 0)
	}
	if err := workUntil(c, begun+hold-2*took); err != nil {
		return err
	}
	if err := c.Write(store, last, 0); err != nil {
		return err
	}
	return workUntil(c, begun+hold)
}

// Invoice does the work on an invoice with a number that no other may have.
func Invoice(c program.Process, number int64, hold time.Duration) error {
	return WriteAndWork(c, invoices, hold, strconv.FormatInt(number, 10))
}

// Address returns the address that a service puts on a list.
func Address(p recipe.Params) string { return "address of " + event.Actor(p.Index).Letter() }

// Bill does the work of a service with a number: it sends a bill under it.
func Bill(c program.Process, number int64, hold time.Duration) error {
	return WriteAndWork(c, bills, hold, strconv.FormatInt(number, 10))
}

// WriteAndWork divides the work into equal parts, and writes one of the texts at the beginning of each. If nobody knows
// how long the work takes, it writes all of them at the start.
func WriteAndWork(c program.Process, store string, hold time.Duration, texts ...string) error {
	return writeAndWork(c, store, 0, hold, texts...)
}

func writeAndWork(c program.Process, store string, fence int64, hold time.Duration, texts ...string) error {
	begun, parts := c.Now(), time.Duration(len(texts))
	for i, text := range texts {
		if err := c.Write(store, text, fence); err != nil {
			return err
		}
		if hold == program.UntilSettled {
			continue
		}
		if err := workUntil(c, begun+hold*time.Duration(i+1)/parts); err != nil {
			return err
		}
	}
	if hold == program.UntilSettled {
		return c.Work(hold)
	}
	return nil
}

// workUntil works until the given time by c's clock, which may have passed.
func workUntil(c program.Process, end time.Duration) error { return c.Work(max(0, end-c.Now())) }
