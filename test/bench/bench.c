/* bench.c - the ratios the project promises, each against its rival in the same run. */
#include "bench_context.h"
#include "bench_export.h"
#include "bench_import.h"
#include "bench_json.h"
#include "bench_mcp.h"
#include "bench_register.h"
#include "bench_search.h"
#include "bench_store.h"
#include "bench_text.h"
#include "bench_views.h"

int main(void)
{
    bench_text();
    bench_json();
    bench_store();
    bench_register();
    bench_search();
    bench_export();
    bench_context();
    bench_views();
    bench_import();
    bench_mcp();
    return 0;
}
