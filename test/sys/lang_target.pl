# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A program whose stacks are known: at each getppid(2) it writes to the file of its
# first argument what caller() says of its frames, the innermost first.
use strict;
use warnings;
use utf8;
use Config;
use List::Util;
use if $Config{useithreads}, 'threads';

open my $out, '>:utf8', $ARGV[0] or die;

sub leaf {
    my ($i, @c) = 0;
    my ($file, $line) = (__FILE__, __LINE__ + 7);
    while (@c = caller $i++) {
        print $out base($file), "`$c[3]:$line|";
        ($file, $line) = @c[1, 2];
    }
    print $out base($file), "`main:$line\n";
    $out->flush;
    getppid();
    return 1;
}

sub base { $_[0] =~ s{.*/}{}sr }

package Größe::Inner {
    use overload '+' => sub { main::leaf() }, '""' => sub { 'inner' };
    sub new { bless {}, shift }
    sub method { my $f = sub { $_[0]->last }; $f->(@_) }
    sub last { main::leaf() }
    sub DESTROY { main::leaf() if $_[0]{loud} }
}

package Tied {
    sub TIESCALAR { bless {} }
    sub FETCH { main::leaf() }
}

package main;

sub recurse {
    my $n = shift;
    return leaf() if $n == 0;
    for my $i (1) {
        if ($i) {
            recurse($n - 1);
        }
    }
    return 0;
}

sub guarded { eval { leaf() }; $a <=> $b }
sub plain { leaf(); $a <=> $b }
sub jumps { goto &leaf }

leaf();
select undef, undef, undef, 0.5; # what was mapped is read at the first stack
recurse(20);
Größe::Inner->new->method;
my @sorted = sort { leaf(); $a <=> $b } 2, 1;
@sorted = sort plain 2, 1;
@sorted = sort guarded 2, 1; # an eval that C must not leave
my $sum = Größe::Inner->new + 1;
{ my $loud = Größe::Inner->new; $loud->{loud} = 1 }
tie my $tied, 'Tied';
my $got = $tied;
eval { recurse(1) };
eval { eval { leaf() }; die };
eval 'leaf();
      leaf()';
{
    local $SIG{__WARN__} = sub { eval { leaf() } };
    warn 'loud';
}
jumps();
{
    my $first = List::Util::first(sub { leaf() }, 1);
    my $reduced = List::Util::reduce(sub { leaf() }, 1, 2);
}
my @mapped = map { leaf() } 1;
'a' =~ /a(?{ leaf() })/;
BEGIN { *early = sub { eval { leaf() } } }
eval 'BEGIN { early() } 1' or die;
# line 300 "made/up name.pl"
leaf();
if ($Config{useithreads}) {
    threads->create(\&recurse, 2)->join;
}
