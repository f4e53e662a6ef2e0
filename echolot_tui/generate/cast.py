"""Who plays in a cold start: threads with their CPUs, and the names slices carry."""

from __future__ import annotations

from echolot_tui.generate.world import (
    APP,
    APP_UID,
    OTHER,
    PACKAGE,
    SURFACEFLINGER,
    SYSTEM_SERVER,
    Thread,
)

START_GLOB = "ColdStart"
END_GLOB = "reportFullyDrawn*"

RENDER, HEAP, APP_BINDER = 4010, 4005, 4006
DISPATCH_1, DISPATCH_2, POOL_1, POOL_2 = 4020, 4024, 4021, 4022
DISK, ANALYTICS, CRUNCH, HALF, NAMESAKE, WATCHDOG = 4023, 4030, 4040, 4041, 4050, 4051
OTHER_WORKER = 4501
SERVER_FOR_MAIN, SERVER_FOR_POOL, SERVER_FOR_ANALYTICS = 1201, 1202, 1203

THREADS = (
    Thread(pid=APP, tid=APP, name=PACKAGE, cpu=4),
    Thread(pid=APP, tid=RENDER, name="RenderThread", cpu=5),
    Thread(pid=APP, tid=HEAP, name="HeapTaskDaemon", cpu=8),
    Thread(pid=APP, tid=APP_BINDER, name="binder:4000_1", cpu=9),
    Thread(pid=APP, tid=DISPATCH_1, name="DefaultDispatch", cpu=6),
    Thread(pid=APP, tid=DISPATCH_2, name="DefaultDispatch", cpu=11),
    Thread(pid=APP, tid=POOL_1, name="pool-2-thread-1", cpu=7),
    Thread(pid=APP, tid=POOL_2, name="pool-2-thread-2", cpu=3),
    Thread(pid=APP, tid=DISK, name="DiskWriter", cpu=2),
    Thread(pid=APP, tid=ANALYTICS, name="Analytics", cpu=1),
    Thread(pid=APP, tid=CRUNCH, name="Crunch", cpu=0),
    Thread(pid=APP, tid=HALF, name="HalfCovered", cpu=12),
    Thread(pid=APP, tid=NAMESAKE, name=PACKAGE, cpu=13),
    Thread(pid=APP, tid=WATCHDOG, name="Watchdog", cpu=13),
    Thread(pid=SYSTEM_SERVER, tid=SYSTEM_SERVER, name="system_server", cpu=10),
    Thread(pid=SYSTEM_SERVER, tid=SERVER_FOR_MAIN, name="binder:1200_1", cpu=10),
    Thread(pid=SYSTEM_SERVER, tid=SERVER_FOR_POOL, name="binder:1200_2", cpu=10),
    Thread(pid=SYSTEM_SERVER, tid=SERVER_FOR_ANALYTICS, name="binder:1200_3", cpu=10),
    Thread(pid=SURFACEFLINGER, tid=SURFACEFLINGER, name="/surfaceflinger", cpu=10),
    Thread(pid=OTHER, tid=OTHER, name="m.example.other", cpu=14),
    Thread(pid=OTHER, tid=OTHER_WORKER, name="OtherWorker", cpu=15),
)
NAMES = {
    SYSTEM_SERVER: ("system_server", 1000),
    SURFACEFLINGER: ("/system/bin/surfaceflinger", 1000),
    APP: (PACKAGE, APP_UID),
    OTHER: ("com.example.other", 10_200),
}

HELD = (
    "monitor contention with owner DefaultDispatch (4020) "
    "at void com.example.app.Cache.refresh()(Cache.kt:88) waiters=0 "
    "blocking from java.lang.Object com.example.app.Cache.read()(Cache.kt:41)"
)
HELD_INNER = "Lock contention on a monitor lock (owner tid: 4020)"
HELD_POOL = "Lock contention on a monitor lock (owner tid: 4023)"

HOME = "com.example.app.ui.HomeScreen (HomeScreen.kt:42)"
CARD = "com.example.app.ui.Card (Card.kt:10)"
TINY = "com.example.app.ui.Tiny (Tiny.kt:5)"
COLUMN = "androidx.compose.foundation.layout.Column (Column.kt:90)"
