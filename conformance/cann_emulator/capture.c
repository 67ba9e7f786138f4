/* The capture of streams (aclmdlRI*): what is submitted to a stream between the begin and the end of a
 * capture is kept as a graph, and runs each time that the graph is executed.
 *
 * What a capture refuses, and with which error, is that of CANN's runtime (hicann/runtime, v9.2.0-beta.1:
 * api_error.cc, api_impl.cc, context_aclgraph.cc).  There a graph that reads memory that was freed since
 * its capture reads whatever lies there now; here its execution answers an error.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "emulator.h"

enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED, MODES }; /* aclmdlRICaptureMode */
enum { STATUS_NONE, STATUS_ACTIVE };                          /* aclmdlRICaptureStatus */

typedef struct { const void *address; uint64_t serial; } use; /* memory, and the allocation that it lay in */

struct emulator_graph {
  uint64_t id;
  int device, mode, references;
  emulator_stream *origin;
  pthread_t thread;
  emulator_job **jobs;
  use *uses;
  emulator_stream **streams; /* that joined */
  size_t job_count, use_count, stream_count;
  struct emulator_graph *next; /* among those that are being captured */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static emulator_graph *capturing;
static uint64_t last_id;
static int captures[EMULATOR_DEVICES][MODES]; /* how many are under way, by mode */
static uint64_t executions[EMULATOR_DEVICES];

static __thread int captures_here[MODES];            /* that this thread began */
static __thread int exchanged_mode = MODE_GLOBAL;

/* Makes room for one more in an array whose size grows by powers of two. */
static void *grown(void *array, size_t n, size_t size) {
  return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * size);
}

static emulator_graph *under_way(uint64_t id) { /* with the mutex held */
  emulator_graph *g = capturing;
  while (g && g->id != id) g = g->next;
  return g;
}

static int lowest(const int *counts) {
  int mode = 0;
  while (mode < MODES && !counts[mode]) mode++;
  return mode;
}

/* Whether this thread may not call what waits for the device (Context::IsCaptureModeSupport). */
int emulator_capture_forbids(int device) {
  pthread_mutex_lock(&mutex);
  int all = lowest(captures[device]), own = lowest(captures_here);
  pthread_mutex_unlock(&mutex);
  if (all == MODES || exchanged_mode == MODE_RELAXED) return 0;
  if (exchanged_mode == MODE_GLOBAL) return all == MODE_GLOBAL || own == MODE_THREAD_LOCAL;
  return own == MODE_GLOBAL || own == MODE_THREAD_LOCAL;
}

/* Keeps a job of a stream that is being captured. */
void emulator_record(emulator_job *job, emulator_stream *s) {
  emulator_graph *g = s->graph;
  pthread_mutex_lock(&mutex);
  g->jobs = grown(g->jobs, g->job_count, sizeof *g->jobs);
  g->jobs[g->job_count++] = job;
  s->recorded++;
  pthread_mutex_unlock(&mutex);
}

/* Notes memory that a graph reads or writes. */
void emulator_record_use(emulator_graph *g, const void *address) {
  uint64_t serial = emulator_allocation(g->device, address);
  pthread_mutex_lock(&mutex);
  int known = 0;
  for (size_t i = 0; i < g->use_count && !known; i++)
    known = g->uses[i].address == address && g->uses[i].serial == serial;
  if (!known && serial) {
    g->uses = grown(g->uses, g->use_count, sizeof *g->uses);
    g->uses[g->use_count++] = (use){address, serial};
  }
  pthread_mutex_unlock(&mutex);
}

/* Whether an event was recorded in a capture that is under way. */
int emulator_event_captured(const emulator_event *e) {
  pthread_mutex_lock(&mutex);
  int captured = e->capture && under_way(e->capture);
  pthread_mutex_unlock(&mutex);
  return captured;
}

void emulator_record_event(emulator_event *e, emulator_stream *s) {
  e->capture = s->graph->id;
  e->stream = s;
  e->recorded = s->recorded;
}

/* What a wait for an event does to captures: a stream joins one, or comes back to it. */
int emulator_wait_in_capture(emulator_stream *s, emulator_event *e) {
  pthread_mutex_lock(&mutex);
  emulator_graph *g = e->capture ? under_way(e->capture) : NULL;
  int code = 0;
  if (g && !s->graph) {
    g->streams = grown(g->streams, g->stream_count, sizeof *g->streams);
    g->streams[g->stream_count++] = s;
    s->graph = g;
    s->recorded = s->joined = 0;
  } else if (g && s->graph != g) {
    code = emulator_error(ACL_ERROR_STREAM_CAPTURE_CONFLICT, "two captures would be joined");
  } else if (!g && s->graph && (e->number || e->capture)) {
    code = emulator_error(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                          "a stream that is being captured waits for an event from outside of the capture");
  }
  if (g && !code && e->stream->joined < e->recorded) e->stream->joined = e->recorded;
  pthread_mutex_unlock(&mutex);
  return code;
}

/* The chips and releases whose documents say that they capture (aclmdlRICaptureBegin). */
static int supported(void) {
  const char *soc = emulator_soc();
  if (!strncmp(soc, "Ascend910_", 10) || !strncmp(soc, "Ascend910B", 10) || !strncmp(soc, "Ascend950", 9)) return 1;
  return !strncmp(soc, "Ascend310P", 10) && atoi(emulator_cann()) >= 9;
}

int aclmdlRICaptureBegin(void *handle, int mode) {
  FAILS_ON_DEMAND;
  emulator_stream *s = handle;
  if (!supported()) return emulator_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s captures no streams", emulator_soc());
  if (!s || mode < 0 || mode >= MODES)
    return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "the default stream, or an unknown mode");
  if (s->graph) return emulator_error(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is being captured");
  emulator_graph *g = calloc(1, sizeof *g);
  pthread_mutex_lock(&mutex);
  *g = (emulator_graph){.id = ++last_id, .device = s->device, .mode = mode, .references = 1, .origin = s, .thread = pthread_self(),
                        .next = capturing};
  capturing = g;
  captures[s->device][mode]++;
  captures_here[mode]++;
  s->recorded = s->joined = 0;
  s->graph = g;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int aclmdlRICaptureGetInfo(void *handle, int *status, void **graph) {
  emulator_stream *s = handle;
  *status = s && s->graph ? STATUS_ACTIVE : STATUS_NONE;
  if (graph) *graph = s ? s->graph : NULL;
  return 0;
}

int aclmdlRIGetId(void *graph, uint32_t *id) { *id = (uint32_t)((emulator_graph *)graph)->id; return 0; }

/* Any thread may drop a graph, the device thread too: nothing waits here. */
void emulator_release_graph(emulator_graph *g) {
  if (__atomic_sub_fetch(&g->references, 1, __ATOMIC_ACQ_REL)) return;
  for (size_t i = 0; i < g->job_count; i++) emulator_release_job(g->jobs[i]);
  free(g->jobs);
  free(g->uses);
  free(g->streams);
  free(g);
}

int aclmdlRICaptureEnd(void *handle, void **graph) {
  FAILS_ON_DEMAND;
  emulator_stream *s = handle;
  emulator_graph *g = s ? s->graph : NULL;
  *graph = NULL;
  if (!g) return emulator_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not being captured");
  if (g->origin != s) return emulator_error(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "the capture began in another stream");
  int code = 0;
  if (g->mode != MODE_RELAXED && !pthread_equal(g->thread, pthread_self()))
    code = emulator_error(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "the capture began in another thread");
  pthread_mutex_lock(&mutex);
  for (emulator_graph **at = &capturing; *at; at = &(*at)->next)
    if (*at == g) { *at = g->next; break; }
  captures[g->device][g->mode]--;
  if (captures_here[g->mode]) captures_here[g->mode]--;
  s->graph = NULL;
  for (size_t i = 0; i < g->stream_count; i++) {
    emulator_stream *joined = g->streams[i];
    joined->graph = NULL;
    if (!code && joined->recorded > joined->joined)
      code = emulator_error(ACL_ERROR_RT_STREAM_UNJOINED, "work of another stream was never waited for");
  }
  pthread_mutex_unlock(&mutex);
  if (code) emulator_release_graph(g); else *graph = g;
  return code;
}

int aclmdlRICaptureThreadExchangeMode(int *mode) {
  FAILS_ON_DEMAND;
  if (*mode < 0 || *mode >= MODES) return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "an unknown mode");
  int before = exchanged_mode;
  exchanged_mode = *mode;
  *mode = before;
  return 0;
}

/* One launch: copies of the jobs go into the queue, which share what the kept ones own. */
int aclmdlRIExecuteAsync(void *handle, void *stream) {
  FAILS_ON_DEMAND;
  emulator_graph *g = handle;
  emulator_stream *s = stream;
  if (s && s->graph) return emulator_error(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is being captured");
  const char *stale = NULL;
  for (size_t i = 0; i < g->use_count && !stale; i++)
    if (emulator_allocation(g->device, g->uses[i].address) != g->uses[i].serial)
      stale = "a graph that was captured uses memory that was freed since";
  int code = 0;
  for (size_t i = 0; i < g->job_count && !code; i++) {
    emulator_job *job = malloc(sizeof *job);
    *job = *g->jobs[i];
    job->owner = g;
    __atomic_add_fetch(&g->references, 1, __ATOMIC_RELAXED);
    job->error_text = job->error_text ? strdup(job->error_text) : NULL;
    if (stale && !job->error) {
      job->error = ACL_ERROR_RT_AICORE_EXCEPTION;
      job->error_text = strdup(stale);
    }
    if (job->kind == JOB_KERNEL && !job->error) emulator_count_in_graph(job, g->device);
    code = emulator_submit(job, s);
    if (code) emulator_release_job(job);
  }
  if (!code) __atomic_add_fetch(&executions[g->device], 1, __ATOMIC_RELAXED);
  return code;
}

int aclmdlRIExecute(void *graph, int32_t timeout) {
  int code = aclmdlRIExecuteAsync(graph, NULL);
  return code ? code : aclrtSynchronizeDevice();
}

int aclmdlRIDestroy(void *graph) {
  FAILS_ON_DEMAND;
  emulator_release_graph(graph);
  return 0;
}

uint64_t emulator_executions(int device) { return __atomic_load_n(&executions[device], __ATOMIC_RELAXED); }
