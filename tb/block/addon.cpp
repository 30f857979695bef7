// A verilated block inside Node: its ports are words of an ArrayBuffer, its clock a function call.
//
// Node's own C interface is declared here as far as it is used: it is stable, and its header is not
// everywhere where Node is.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vblock.h"
#include "verilated.h"

#include "all.inc"  // the block

extern "C" {
typedef struct napi_env__* napi_env;
typedef struct napi_value__* napi_value;
typedef struct napi_callback_info__* napi_callback_info;
typedef int napi_status;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
napi_status napi_create_function(napi_env, const char*, size_t, napi_callback, void*, napi_value*);
napi_status napi_set_named_property(napi_env, napi_value, const char*, napi_value);
napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t*, napi_value*, napi_value*, void**);
napi_status napi_get_arraybuffer_info(napi_env, napi_value, void**, size_t*);
napi_status napi_create_string_utf8(napi_env, const char*, size_t, napi_value*);
napi_status napi_throw_error(napi_env, const char*, const char*);
}

void vl_fatal(const char* file, int line, const char* scope, const char* message) {
  throw std::runtime_error(std::string(scope ? scope : "") + " " + file + ":" + std::to_string(line) + ": " + message);
}
void vl_stop(const char* file, int line, const char* scope) { vl_fatal(file, line, scope, "an assertion failed"); }
void vl_finish(const char* file, int line, const char* scope) { vl_fatal(file, line, scope, "$finish"); }

namespace {

struct Port {
  std::string name;
  bool input;
  int bits;
  void* at;
  size_t word;  // first in the buffer
};

std::unique_ptr<VerilatedContext> context;
std::unique_ptr<Vblock> model;
std::vector<Port> ports;
CData* clk = nullptr;
uint32_t* words = nullptr;

void add(std::vector<Port>& list, const char* name, bool input, int bits, void* at) {
  const size_t word = list.empty() ? 0 : list.back().word + static_cast<size_t>((list.back().bits + 31) / 32);
  if (std::strcmp(name, "clk") == 0) clk = static_cast<CData*>(at);
  list.push_back({name, input, bits, at, word});
}

void create() {
  model.reset();
  context = std::make_unique<VerilatedContext>();
  context->randReset(2);
  context->randSeed(1);
  model = std::make_unique<Vblock>(context.get(), "block");
  ports.clear();
  clk = nullptr;
#define IN true
#define OUT false
#define PORT(direction, name, bits) add(ports, #name, direction, bits, &model->name);
#include "ports.inc"
  if (clk) *clk = 0;
}

size_t size_of(int bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : bits <= 64 ? 8 : static_cast<size_t>((bits + 31) / 32) * 4; }

void take_inputs() {
  for (const Port& port : ports)
    if (port.input && port.at != clk) std::memcpy(port.at, words + port.word, size_of(port.bits));
}
void show_outputs() {
  for (const Port& port : ports)
    if (!port.input) std::memcpy(words + port.word, port.at, size_of(port.bits));
}

template <void (*body)()>
napi_value guarded(napi_env env, napi_callback_info) {
  try {
    body();
  } catch (const std::exception& error) {
    napi_throw_error(env, nullptr, error.what());
  }
  return nullptr;
}

void settle() {
  take_inputs();
  model->eval();
  show_outputs();
}

void clock() {
  take_inputs();
  if (clk) {
    model->eval();
    *clk = 1;
    model->eval();
    *clk = 0;
  }
  model->eval();
  context->timeInc(1);
  show_outputs();
}

// As many cycles as the word behind the ports says, with inputs that stay.
void run() {
  take_inputs();
  const size_t end = ports.back().word + static_cast<size_t>((ports.back().bits + 31) / 32);
  for (uint32_t left = words[end]; left != 0; left--) {
    *clk = 1;
    model->eval();
    *clk = 0;
    model->eval();
  }
  show_outputs();
}

napi_value attach(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  void* data = nullptr;
  size_t bytes = 0;
  napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr);
  napi_get_arraybuffer_info(env, argument, &data, &bytes);
  words = static_cast<uint32_t*>(data);
  return nullptr;
}

napi_value describe(napi_env env, napi_callback_info) {
  std::string text;
  for (const Port& port : ports)
    text += port.name + " " + (port.input ? "in" : "out") + " " + std::to_string(port.bits) + " " + std::to_string(port.word) + "\n";
  napi_value result;
  napi_create_string_utf8(env, text.c_str(), text.size(), &result);
  return result;
}

void offer(napi_env env, napi_value exports, const char* name, napi_callback function) {
  napi_value value;
  napi_create_function(env, name, std::strlen(name), function, nullptr, &value);
  napi_set_named_property(env, exports, name, value);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  create();
  offer(env, exports, "create", guarded<create>);
  offer(env, exports, "settle", guarded<settle>);
  offer(env, exports, "clock", guarded<clock>);
  offer(env, exports, "run", guarded<run>);
  offer(env, exports, "attach", attach);
  offer(env, exports, "describe", describe);
  return exports;
}
