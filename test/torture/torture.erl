%% SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
%% A ring of processes on the JIT of BEAM, its tables, and exceptions.
-module(torture).
-export([main/1]).

main([Rounds]) ->
    N = list_to_integer(atom_to_list(Rounds)),
    T = ets:new(t, [public]),
    Ring = lists:foldl(fun(_, Next) -> spawn_link(fun() -> pass(Next) end) end,
                       self(), lists:seq(1, 200)),
    Sum = lists:foldl(fun(I, S) -> (S * 31 + around(Ring, T, I)) rem 1000003 end,
                      7, lists:seq(1, N)),
    io:format("~p ~p~n", [Sum, ets:info(T, size)]),
    halt(6).

around(Ring, T, I) ->
    Ring ! {I, <<I:32, 0:800>>},
    receive {S, B} ->
        ets:insert(T, {I rem 977, B}),
        S + caught(I) + erlang:crc32(integer_to_list(I))
    end.

pass(Next) ->
    receive {I, B} -> Next ! {I + byte_size(B) rem 7, B}, pass(Next) end.

caught(I) ->
    try 10 div (I rem 3) catch error:badarith -> 99 end.
