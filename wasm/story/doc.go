// Command story is a program in a worker of the page. It draws the story of a log, sheet by sheet, if no server does.
//
// It reads the log's trace file, which the stage has the engine make, and answers as the server does at /api/sheet. It
// computes no run. static/story.js starts it once somebody asks for a story that no server has, and ends it with the
// pane. It builds only for the browser; on other platforms it is an empty program.
//
// # Messages
//
// Each is an object with a kind, and the id of a question, which the page chooses.
//
//	to the program   log      a question: to read a log, in place of the one before. It brings the words to answer in
//	                 piece    the next part of the log's trace file, an ArrayBuffer
//	                 end      the file has no more parts
//	                 sheet    a question: a sheet of the log that is read, as a query for story.ParseAsk
//	to the page      ready    the program takes messages from now on
//	                 read     the answer to log, as soon as there are as many events as a story tells
//	                 sheet    the answer to sheet, as JSON: story.Sheets.AppendSheet
//	                 refused  why there is no answer
//
// What static/worker.js says if the program can't be loaded is in wasm/engine.
package main
