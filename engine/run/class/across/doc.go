// Package across carries classes across servers, over engine/run/shared: what engine/run/class calls a Line.
//
// A class is a shared log by its name. Every server that has pages of it reads that log into a room of its own. One of
// these servers owns the class: orders of all pages go there by Bus.Ask, it decides (class.Class.Decide), and what it
// decided is what the log stored. The others wait for the name, so one of them goes on when the owner dies: it takes
// the log, which refuses the old owner from then on, and reads it to the end before it decides anything.
//
// An order whose answer is lost is given again, to the same owner or to the next, by the same number. The log has the
// number of the order that made an entry, so none makes two. What a page was told to be done is in the log; what was
// refused with class.ErrAway may be.
//
// Two things are volatile. Where the teacher is, the owner tells all servers at once, and puts into the log when it has
// rested, or every LeadEvery: so a teacher who drags the time line doesn't fill the log, and after a take-over all
// stand where the last of the servers that live has seen the teacher. Who is here, each server says of its own pages,
// to all, again and again; what a server hasn't repeated for hereFor counts no more.
//
// Servers believe each other. Anybody who can write to their NATS can lead every class.
package across
