// Command engine is the program in the page's worker: rooms of simulated runs and of opened trace files.
//
// It answers the protocol of the server's websocket (engine/run/protocol) by messages between page and worker, for any
// number of connections, and questions about runs that nobody follows. It draws no run and knows no page. wasm/bridge
// opens connections, static/ask.js asks questions, and static/worker.js loads the engine. It builds only for the
// browser; on other platforms it is an empty program.
//
// # Messages
//
// Each is an object with a kind and, unless it is about a file or the program itself, the id of a connection or a
// question, which the page chooses.
//
//	to the engine    open, close     a connection begins, ends
//	                 text            a request, in the form of protocol.ParseRequest
//	                 took            the page has handled a frame
//	                 file            the bytes of a trace file, under a name for protocol.File
//	                 save            a query: the run and branch whose log is wanted as a trace file, and if the engine
//	                                 may not have it, the run's scenario, and each fault on the way to the branch
//	                 compare, fork   a question: its query (compare.ParseRequest, ParseReplay), and words to answer in
//	to the page      ready           the engine takes messages from now on
//	                 text            a message, in the form of protocol.ParseMessage
//	                 frame           events, in the form of protocol.ParseFrame, in an ArrayBuffer that changes hands
//	                 piece           the next part of a trace file, in an ArrayBuffer that changes hands
//	                 saved           the name of the trace file, after its last part. In its place a text may refuse it,
//	                                 and before it say how far the run is
//	                 progress        how far the answer to a question is
//	                 servers         how many the runs of a comparison have
//	                 figures         the figures so far, as HTML (engine/stage/costs)
//	                 said            how a fork differs from what was seen, a sentence
//	                 refused         why there is no answer
//	                 close           a connection has ended, or an answer
//	                 prepared        static/worker.js has left the engine in the browser's cache
//	                 failed          why the engine couldn't be loaded (fetch, status, run) or that it has ended, with
//	                                 the browser's words, and the name of the file that it's about
package main
